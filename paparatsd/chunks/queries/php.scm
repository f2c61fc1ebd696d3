(comment) @comment
(attribute_list) @attribute

(class_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(trait_declaration name: (name) @name) @def.trait
(enum_declaration name: (name) @name) @def.enum
(enum_case name: (name) @name) @def.constant
(method_declaration name: (name) @name) @def.method
(function_definition name: (name) @name) @def.function
(const_declaration (const_element (name) @name)) @def.constant
(property_declaration (property_element name: (variable_name (name) @name))) @def.property
(property_promotion_parameter name: (variable_name (name) @name)) @def.property
((function_call_expression function: (name) @_define
  arguments: (arguments . (argument (string) @name))) @def.constant (#eq? @_define "define"))

(namespace_use_clause . [(qualified_name) (name)] @use.import)
(attribute (name) @use.decorator)
(base_clause (name) @use.inherit)
(base_clause (qualified_name (name) @use.inherit))
(class_interface_clause (name) @use.inherit)
(class_interface_clause (qualified_name (name) @use.inherit))
(declaration_list (use_declaration (name) @use.inherit))
(object_creation_expression (name) @use.construct)
(object_creation_expression (qualified_name (name) @use.construct))
(function_call_expression function: (name) @use.call)
(function_call_expression function: (qualified_name (name) @use.call))
(member_call_expression object: (_) @receiver name: (name) @use.call)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @use.call)
(scoped_call_expression scope: (_) @receiver name: (name) @use.call)
(class_constant_access_expression . (name) @use.type)
(named_type (name) @use.type)
(named_type (qualified_name (name) @use.type))
