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
(import_require_clause (identifier) @use.import source: (string) @target)
(nested_type_identifier module: (_) @receiver name: (type_identifier) @use.type)
(type_identifier) @use.type
