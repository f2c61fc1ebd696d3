(comment) @comment

(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(struct_declaration name: (identifier) @name) @def.struct
(record_declaration name: (identifier) @name) @def.class
(enum_declaration name: (identifier) @name) @def.enum
(enum_member_declaration name: (identifier) @name) @def.constant
(delegate_declaration name: (identifier) @name) @def.type
(method_declaration name: (identifier) @name) @def.method
(local_function_statement name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.method
(destructor_declaration "~" name: (identifier) @name) @def.method
(operator_declaration operator: _ @name) @def.method
(indexer_declaration "this" @name) @def.property
(property_declaration name: (identifier) @name) @def.property
(event_declaration name: (identifier) @name) @def.property
(event_field_declaration (variable_declaration
  (variable_declarator name: (identifier) @name))) @def.property
((field_declaration (modifier) @_modifier (variable_declaration
  (variable_declarator name: (identifier) @name))) @def.constant (#eq? @_modifier "const"))
(field_declaration (variable_declaration
  (variable_declarator name: (identifier) @name))) @def.field

(using_directive [(qualified_name) (identifier)] @use.import .)
(attribute name: (identifier) @use.decorator)
(attribute name: (qualified_name name: (identifier) @use.decorator))
(base_list (identifier) @use.inherit)
(base_list (generic_name (identifier) @use.inherit))
(base_list (qualified_name qualifier: (_) @receiver name: (identifier) @use.inherit))
(object_creation_expression type: (identifier) @use.construct)
(object_creation_expression type: (generic_name (identifier) @use.construct))
(object_creation_expression type: (qualified_name
  qualifier: (_) @receiver name: (identifier) @use.construct))
(invocation_expression function: (identifier) @use.call)
(invocation_expression function: (generic_name (identifier) @use.call))
(invocation_expression function: (member_access_expression
  expression: (_) @receiver name: (identifier) @use.call))
(invocation_expression function: (member_access_expression
  expression: (_) @receiver name: (generic_name (identifier) @use.call)))
(invocation_expression function: (conditional_access_expression
  (member_binding_expression name: (identifier) @use.call)))
(variable_declaration type: (identifier) @use.type)
(variable_declaration type: (generic_name (identifier) @use.type))
(parameter type: (identifier) @use.type)
(parameter type: (generic_name (identifier) @use.type))
(parameter type: (nullable_type (identifier) @use.type))
(method_declaration returns: (identifier) @use.type)
(method_declaration returns: (generic_name (identifier) @use.type))
(property_declaration type: (identifier) @use.type)
(property_declaration type: (generic_name (identifier) @use.type))
(type_argument_list (identifier) @use.type)
(cast_expression type: (identifier) @use.type)
(typeof_expression type: (identifier) @use.type)
(array_type type: (identifier) @use.type)
