(comment) @comment
(decorator) @attribute

(class_declaration name: (_) @name) @def.class
(class name: (_) @name) @def.class
(function_declaration name: (identifier) @name) @def.function
(generator_function_declaration name: (identifier) @name) @def.function
(method_definition name: (_) @name) @def.method

(lexical_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)])) @def.function
(variable_declaration (variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)])) @def.function
(variable_declarator name: (identifier) @name
  value: (class body: (_) @body)) @def.class

(assignment_expression left: (member_expression) @name
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @def.function
(assignment_expression left: (identifier) @name
  right: [(function_expression body: (_) @body) (generator_function body: (_) @body)]) @def.function
(assignment_expression left: (member_expression) @name right: (class body: (_) @body)) @def.class
(program (lexical_declaration "const" (variable_declarator name: (identifier) @name
  value: (object (pair key: (property_identifier)
    value: [(arrow_function) (function_expression)])))) @def.variable)
(variable_declarator value: (object (pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function))
(export_statement value: (object (pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function))
(assignment_expression right: (object (pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function))

; `const x = require(..)` is an import, not a definition
((variable_declarator name: (identifier) @use.import @whole
  value: (call_expression function: (identifier) @_require
    arguments: (arguments . (string) @target .)))
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @use.import
  value: (call_expression function: (call_expression function: (identifier) @_require
    arguments: (arguments . (string) @target .))))
  (#eq? @_require "require"))
((variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @use.import)
  value: (call_expression function: (identifier) @_require
    arguments: (arguments . (string) @target .)))
  (#eq? @_require "require"))
((variable_declarator name: (object_pattern
    (pair_pattern key: (property_identifier) @use.import value: (identifier) @alias))
  value: (call_expression function: (identifier) @_require
    arguments: (arguments . (string) @target .)))
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @alias
  value: (member_expression object: (call_expression function: (identifier) @_require
    arguments: (arguments . (string) @target .)) property: (property_identifier) @use.import))
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @use.import
  value: (member_expression object: (call_expression function: (identifier) @_require
    arguments: (arguments . (string) @target .))))
  (#eq? @_require "require"))
((call_expression function: (identifier) @_require arguments: (arguments . (string) @use.import .))
  (#eq? @_require "require"))
(variable_declarator name: (identifier) @use.import @whole value: (await_expression
  (call_expression function: (import) arguments: (arguments . (string) @target))))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @use.import)
  value: (await_expression
    (call_expression function: (import) arguments: (arguments . (string) @target))))
(call_expression function: (import) arguments: (arguments . (string) @use.import))

(program (lexical_declaration "const" (variable_declarator name: (identifier) @name)) @def.constant)
(program (lexical_declaration "let" (variable_declarator name: (identifier) @name)) @def.variable)
(program (variable_declaration (variable_declarator name: (identifier) @name)) @def.variable)
(export_statement (lexical_declaration "const" (variable_declarator name: (identifier) @name))
  @def.constant)
(export_statement (lexical_declaration "let" (variable_declarator name: (identifier) @name))
  @def.variable)
(program (expression_statement (assignment_expression left: (member_expression
  object: [(identifier) (member_expression)]) @name
  right: (object)) @def.variable))

(import_statement (import_clause (identifier) @use.import @default) source: (string) @target)
(import_statement (import_clause (namespace_import (identifier) @use.import @whole))
  source: (string) @target)
(import_statement (import_clause (named_imports (import_specifier
  name: (identifier) @use.import alias: (identifier) @alias))) source: (string) @target)
(import_statement (import_clause (named_imports (import_specifier name: (identifier) @use.import)))
  source: (string) @target)
(import_statement . "import" . source: (string) @use.import)
(export_statement (export_clause (export_specifier name: (identifier) @use.import))
  source: (string) @target)
(export_statement "*" source: (string) @use.import)

(decorator (identifier) @use.decorator)
(decorator (call_expression function: (identifier) @use.decorator))

(new_expression constructor: (identifier) @use.construct)
(new_expression constructor: (member_expression
  object: (_) @receiver property: (property_identifier) @use.construct))
(call_expression function: (identifier) @use.call)
(call_expression function: (member_expression
  object: (_) @receiver property: (property_identifier) @use.call))
(call_expression function: (member_expression
  object: (_) @receiver property: (private_property_identifier) @use.call))
(decorator (member_expression
  object: (_) @receiver property: (property_identifier) @use.decorator))

(arrow_function) @fact.closure
(function_expression) @fact.closure

(arrow_function parameter: (identifier) @fact.local)
(shorthand_property_identifier_pattern) @fact.local
(pair_pattern value: (identifier) @fact.local)
(array_pattern (identifier) @fact.local)
(rest_pattern (identifier) @fact.local)
(catch_clause parameter: (identifier) @fact.local)
(for_in_statement left: (identifier) @fact.local right: (_) @each)
((variable_declarator name: (identifier) @value value: [
    (assignment_expression left: (member_expression object: (identifier) @_module) @fact.bind)
    (assignment_expression right:
      (assignment_expression left: (member_expression object: (identifier) @_module) @fact.bind))])
  (#eq? @_module "module"))
(assignment_expression left: (member_expression) @fact.bind right: (class name: (_) @value))
(assignment_expression left: (member_expression) @fact.bind right: (_) @value)

(return_statement [(identifier) (member_expression) (call_expression) (new_expression)
  (await_expression)] @fact.yields)
(arrow_function body: [(identifier) (member_expression) (call_expression) (new_expression)
  (await_expression)] @fact.yields)

(export_statement !source (export_clause
  (export_specifier name: (_) @value alias: (_) @fact.export)))
(export_statement !source (export_clause (export_specifier name: (_) @fact.export @value !alias)))
(export_statement (export_clause
  (export_specifier name: (_) @value alias: (_) @fact.export)) source: (string) @target)
(export_statement (export_clause (export_specifier name: (_) @fact.export @value !alias))
  source: (string) @target)
(export_statement "*" @fact.export @value source: (string) @target)
(export_statement (namespace_export "*" @value (_) @fact.export) source: (string) @target)
(export_statement "default" @fact.export value: (_) @value)
(export_statement "default" @fact.export declaration: (_ name: (_) @value))
((assignment_expression left: (member_expression
    object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object [(shorthand_property_identifier) @fact.export
    (pair key: (property_identifier) @fact.export value: (_) @value)
    (method_definition name: (property_identifier) @fact.export)]))
  (#eq? @_module "module") (#eq? @_exports "exports"))

(arguments [(identifier) @use.value
  (member_expression object: (_) @receiver property: (property_identifier) @use.value)])
(pair value: [(identifier) @use.value
  (member_expression object: (_) @receiver property: (property_identifier) @use.value)])
(array [(identifier) @use.value
  (member_expression object: (_) @receiver property: (property_identifier) @use.value)])
(variable_declarator value: [(identifier) @use.value
  (member_expression object: (_) @receiver property: (property_identifier) @use.value)])
(assignment_expression right: [(identifier) @use.value
  (member_expression object: (_) @receiver property: (property_identifier) @use.value)])
(return_statement [(identifier) @use.value
  (member_expression object: (_) @receiver property: (property_identifier) @use.value)])
(binary_expression [(identifier) @use.value
  (member_expression object: (_) @receiver property: (property_identifier) @use.value)])
(ternary_expression [(identifier) @use.value
  (member_expression object: (_) @receiver property: (property_identifier) @use.value)])
(arrow_function body: (identifier) @use.value)
(object (shorthand_property_identifier) @use.value)
(export_statement value: (identifier) @use.value)
