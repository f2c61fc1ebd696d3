(abstract_class_declaration name: (type_identifier) @name) @def.class
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(enum_body name: (property_identifier) @name @def.constant)
(enum_body (enum_assignment name: (_) @name) @def.constant)
(internal_module name: (_) @name) @def.module
(module name: (_) @name) @def.module
(function_signature name: (identifier) @name) @def.function
(method_signature name: (_) @name) @def.method
(abstract_method_signature name: (_) @name) @def.method
(property_signature name: (property_identifier) @name) @def.property
(public_field_definition name: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
(class_body (public_field_definition name: (_) @name) @def.field)
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name))
  @def.variable)
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name))
  @def.variable)
(statement_block (export_statement (lexical_declaration
  (variable_declarator name: (identifier) @name)) @def.constant))

(extends_clause value: (identifier) @use.inherit)
(extends_clause value: (member_expression
  object: (_) @receiver property: (property_identifier) @use.inherit))
(implements_clause (type_identifier) @use.inherit)
(implements_clause (generic_type name: (type_identifier) @use.inherit))
(extends_type_clause (type_identifier) @use.inherit)
(extends_type_clause (generic_type name: (type_identifier) @use.inherit))
(import_require_clause (identifier) @use.import @whole source: (string) @target)
(nested_type_identifier module: (_) @receiver name: (type_identifier) @use.type)
(type_identifier) @use.type

(required_parameter (accessibility_modifier) pattern: (identifier) @fact.property
  type: (_)? @type value: (_)? @value)
(required_parameter "readonly" pattern: (identifier) @fact.property
  type: (_)? @type value: (_)? @value)
(required_parameter pattern: (identifier) @fact.local type: (_)? @type value: (_)? @value)
(optional_parameter pattern: (identifier) @fact.local type: (_)? @type)
(variable_declarator name: (identifier) @fact.local
  value: (as_expression (_) [(type_identifier) (generic_type) (nested_type_identifier)] @type))
(variable_declarator name: (identifier) @fact.local type: (_)? @type value: (_)? @value)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @fact.local)
  value: (_) @owner)
(public_field_definition value: (identifier) @use.value)
(public_field_definition name: (_) @fact.field type: (_)? @type value: (_)? @value)
(property_signature name: (property_identifier) @fact.field type: (_) @type)
(import_alias (identifier) @fact.local (_) @value)
(export_statement "=" @fact.export (identifier) @value)

(function_declaration return_type: (type_annotation) @fact.returns)
(function_signature return_type: (type_annotation) @fact.returns)
(method_definition return_type: (type_annotation) @fact.returns)
(method_signature return_type: (type_annotation) @fact.returns)
(abstract_method_signature return_type: (type_annotation) @fact.returns)
(arrow_function return_type: (type_annotation) @fact.returns)

(type_query (identifier) @use.value)
