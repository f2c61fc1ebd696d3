; inherits: c

(class_interface . (identifier) @name) @def.class
(class_implementation . (identifier) @name) @def.impl
(protocol_declaration . (identifier) @name) @def.interface
(method_declaration (method_type) . (identifier) @name) @def.method
(method_definition (method_type) . (identifier) @name (compound_statement)? @body) @def.method
(property_declaration (struct_declaration (struct_declarator (identifier) @name))) @def.property
(property_declaration (struct_declaration (struct_declarator
  (pointer_declarator declarator: (identifier) @name)))) @def.property

(module_import path: (identifier) @use.import) @whole
(class_interface superclass: (identifier) @use.inherit)
(class_interface (parameterized_arguments (type_name (type_identifier) @use.inherit)))
(protocol_reference_list (identifier) @use.inherit)
((message_expression receiver: (identifier) @use.construct method: (identifier) @_method)
  (#match? @_method "^(alloc|new)$"))
(message_expression receiver: (_) @receiver method: (identifier) @use.call)

(method_parameter (method_type (type_name (type_identifier) @type)) (identifier) @fact.local)
(method_parameter (identifier) @fact.local)
[(method_declaration (method_type (type_name (type_identifier) @fact.returns)))
 (method_definition (method_type (type_name (type_identifier) @fact.returns)))]
(property_declaration (struct_declaration (type_identifier) @type
  (struct_declarator [(identifier) @fact.field (pointer_declarator (identifier) @fact.field)])))
(for_statement type: (_) @type . (pointer_declarator (identifier) @fact.local) . (_) @each)
