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
((variable_declarator name: (identifier) @use.import
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
((variable_declarator name: (identifier) @use.import
  value: (member_expression object: (call_expression function: (identifier) @_require
    arguments: (arguments . (string) @target .))))
  (#eq? @_require "require"))
((call_expression function: (identifier) @_require arguments: (arguments . (string) @use.import .))
  (#eq? @_require "require"))
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

(import_statement (import_clause (identifier) @use.import) source: (string) @target)
(import_statement (import_clause (namespace_import (identifier) @use.import))
  source: (string) @target)
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
