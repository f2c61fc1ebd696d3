(comment) @comment
(decorator) @attribute

(module . (comment)* . (string) @docstring)
(class_definition body: (block . (comment)* . (string) @docstring))
(function_definition body: (block . (comment)* . (string) @docstring))

(class_definition name: (identifier) @name) @def.class
(function_definition name: (identifier) @name) @def.function

((module (assignment left: (identifier) @name) @def.constant)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
((class_definition body: (block (assignment left: (identifier) @name) @def.constant))
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module (assignment left: (identifier) @name) @def.variable)
(module (assignment left: (pattern_list (identifier) @name)) @def.variable)
(module (if_statement consequence: (block (assignment left: (identifier) @name) @def.variable)))
(module (try_statement body: (block (assignment left: (identifier) @name) @def.variable)))
(class_definition body: (block (assignment left: (identifier) @name) @def.field))
(type_alias_statement left: (type (identifier) @name)) @def.type

(import_statement name: (dotted_name) @use.import)
(import_statement name: (aliased_import name: (dotted_name) @use.import))
(import_from_statement module_name: (_) @target name: (dotted_name) @use.import)
(import_from_statement module_name: (_) @target name: (aliased_import name: (dotted_name) @use.import))
(import_from_statement module_name: (_) @target (wildcard_import) @use.import)

(decorator (identifier) @use.decorator)
(decorator (attribute object: (_) @receiver attribute: (identifier) @use.decorator))
(decorator (call function: (identifier) @use.decorator))
(decorator (call function: (attribute object: (_) @receiver attribute: (identifier) @use.decorator)))

(class_definition superclasses: (argument_list (identifier) @use.inherit))
(class_definition superclasses: (argument_list
  (attribute object: (_) @receiver attribute: (identifier) @use.inherit)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @use.inherit)))

((call function: (identifier) @use.construct) (#match? @use.construct "^_*[A-Z][A-Za-z0-9]*[a-z]"))
(call function: (identifier) @use.call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @use.call))

(type (identifier) @use.type)
(type (attribute object: (_) @receiver attribute: (identifier) @use.type))
(type (generic_type (identifier) @use.type))
(type (binary_operator (identifier) @use.type))
(except_clause value: (identifier) @use.type)
