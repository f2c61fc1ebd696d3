[(line_comment) (block_comment)] @comment

(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(annotation_type_declaration name: (identifier) @name) @def.interface
(enum_declaration name: (identifier) @name) @def.enum
(record_declaration name: (identifier) @name) @def.class
(enum_constant name: (identifier) @name) @def.constant
(method_declaration name: (identifier) @name) @def.method
(annotation_type_element_declaration name: (identifier) @name) @def.method
(constructor_declaration name: (identifier) @name) @def.method
(compact_constructor_declaration name: (identifier) @name) @def.method
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name))
  @def.constant (#match? @_modifiers "static[^@]*final|final[^@]*static"))
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant

(import_declaration (scoped_identifier) @use.import)
(marker_annotation name: (identifier) @use.decorator)
(annotation name: (identifier) @use.decorator)
(superclass (type_identifier) @use.inherit)
(superclass (generic_type (type_identifier) @use.inherit))
(super_interfaces (type_list (type_identifier) @use.inherit))
(super_interfaces (type_list (generic_type (type_identifier) @use.inherit)))
(extends_interfaces (type_list (type_identifier) @use.inherit))
(extends_interfaces (type_list (generic_type (type_identifier) @use.inherit)))
(object_creation_expression type: (type_identifier) @use.construct)
(object_creation_expression type: (generic_type (type_identifier) @use.construct))
(method_invocation !object name: (identifier) @use.call)
(method_invocation object: (_) @receiver name: (identifier) @use.call)
(method_reference (_) @receiver (identifier) @use.call .)
(type_identifier) @use.type
