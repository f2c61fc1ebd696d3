(comment) @comment

(function_declaration name: (identifier) @name) @def.function
(method_declaration
  receiver: (parameter_list (parameter_declaration
    type: [(type_identifier) @scope (pointer_type (type_identifier) @scope)
           (generic_type type: (type_identifier) @scope)
           (pointer_type (generic_type type: (type_identifier) @scope))]))
  name: (field_identifier) @name) @def.method
(type_declaration (type_spec name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @def.struct)
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type)) @def.interface)
(type_declaration (type_spec name: (type_identifier) @name) @def.type)
(type_declaration (type_alias name: (type_identifier) @name) @def.type)
(method_elem name: (field_identifier) @name) @def.method
(field_declaration_list (field_declaration name: (field_identifier) @name) @def.field)
(source_file (const_declaration (const_spec name: (identifier) @name) @def.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @def.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @def.variable)))

(import_spec path: (_) @use.import)
(struct_type (field_declaration_list (field_declaration !name
  type: [(type_identifier) @use.inherit (pointer_type (type_identifier) @use.inherit)
         (qualified_type name: (type_identifier) @use.inherit)])))
(type_elem (type_identifier) @use.inherit)
(composite_literal type: (type_identifier) @use.construct)
(composite_literal type: (qualified_type
  package: (_) @receiver name: (type_identifier) @use.construct))
(call_expression function: (identifier) @use.call)
(call_expression function: (selector_expression
  operand: (_) @receiver field: (field_identifier) @use.call))
(qualified_type package: (_) @receiver name: (type_identifier) @use.type)
(type_identifier) @use.type
