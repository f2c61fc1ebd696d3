[(comment) (block_comment)] @comment
(annotation) @attribute

(class_definition name: (_) @name) @def.class
(object_definition name: (_) @name) @def.class
(trait_definition name: (_) @name) @def.trait
(enum_definition name: (_) @name) @def.enum
(simple_enum_case name: (_) @name) @def.constant
(full_enum_case name: (_) @name) @def.constant
(package_object name: (_) @name) @def.module
(function_definition name: (_) @name) @def.function
(function_declaration name: (_) @name) @def.function
(given_definition name: (_) @name) @def.variable
(type_definition name: (_) @name) @def.type
(compilation_unit (val_definition pattern: (identifier) @name) @def.constant)
(compilation_unit (var_definition pattern: (identifier) @name) @def.variable)
(template_body (val_definition pattern: (identifier) @name) @def.field)
(template_body (var_definition pattern: (identifier) @name) @def.field)
(template_body (val_declaration name: (identifier) @name) @def.field)

(import_declaration (namespace_selectors (identifier) @use.import)) @target
(import_declaration (namespace_selectors
  (arrow_renamed_identifier name: (identifier) @use.import alias: (_) @alias))) @target
(import_declaration (identifier) @use.import . "." . (namespace_wildcard) @every) @target
(import_declaration (identifier) @use.import .) @target
(annotation name: (type_identifier) @use.decorator)
(extends_clause type: (type_identifier) @use.inherit)
(extends_clause type: (generic_type type: (type_identifier) @use.inherit))
(instance_expression (type_identifier) @use.construct)
(instance_expression (generic_type type: (type_identifier) @use.construct))
(call_expression function: (identifier) @use.call)
(call_expression function: (field_expression value: (_) @receiver field: (identifier) @use.call))
(call_expression function: (generic_function function: (identifier) @use.call))
(call_expression function: (generic_function function: (field_expression
  value: (_) @receiver field: (identifier) @use.call)))
(stable_type_identifier (_) @receiver (type_identifier) @use.type .)
(type_identifier) @use.type
((field_expression value: (identifier) @receiver field: (identifier) @use.value)
  (#match? @receiver "^[A-Z]"))
(arguments (identifier) @use.value)

(package_clause name: (package_identifier) @fact.package)
(function_definition return_type: (_) @fact.returns)
(function_declaration return_type: (_) @fact.returns)
(function_definition !return_type
  body: [(instance_expression) (call_expression) (field_expression)] @fact.yields)
(class_parameter name: (identifier) @fact.field type: (_) @type)
(parameter name: (identifier) @fact.local type: (_) @type)
(binding name: (identifier) @fact.local type: (_)? @type)
(lambda_expression parameters: (identifier) @fact.local)
(val_definition pattern: (identifier) @fact.bind type: (_)? @type value: (_)? @value)
(var_definition pattern: (identifier) @fact.bind type: (_)? @type value: (_)? @value)
(val_declaration name: (identifier) @fact.bind type: (_) @type)
(tuple_pattern (identifier) @fact.local)
(enumerator . (identifier) @fact.local . "<-" . (_) @each)
(enumerator . (identifier) @fact.local . "=" . (_) @value)
(typed_pattern pattern: (identifier) @fact.local type: (_) @type)
(case_class_pattern pattern: (identifier) @fact.local)
