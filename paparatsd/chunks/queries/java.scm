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

(import_declaration (scoped_identifier) @use.import (asterisk) @every)
(import_declaration (scoped_identifier) @use.import)
(marker_annotation name: (identifier) @use.decorator)
(annotation name: (identifier) @use.decorator)
(superclass (type_identifier) @use.inherit)
(superclass (generic_type (type_identifier) @use.inherit))
(superclass (scoped_type_identifier (_) @receiver . (type_identifier) @use.inherit))
(superclass (generic_type
  (scoped_type_identifier (_) @receiver . (type_identifier) @use.inherit)))
(super_interfaces (type_list (type_identifier) @use.inherit))
(super_interfaces (type_list (generic_type (type_identifier) @use.inherit)))
(type_list (scoped_type_identifier (_) @receiver . (type_identifier) @use.inherit))
(type_list (generic_type
  (scoped_type_identifier (_) @receiver . (type_identifier) @use.inherit)))
(extends_interfaces (type_list (type_identifier) @use.inherit))
(extends_interfaces (type_list (generic_type (type_identifier) @use.inherit)))
(object_creation_expression type: (type_identifier) @use.construct)
(object_creation_expression type: (generic_type (type_identifier) @use.construct))
(method_invocation !object name: (identifier) @use.call)
(method_invocation object: (_) @receiver name: (identifier) @use.call)
(method_reference (_) @receiver (identifier) @use.call .)
(method_reference (identifier) @use.construct "new")
(scoped_type_identifier (_) @receiver (type_identifier) @use.type .)
(type_identifier) @use.type
((field_access object: (identifier) @receiver field: (identifier) @use.value)
  (#match? @receiver "^[A-Z]"))

(package_declaration (_) @fact.package)
(method_declaration
  type: [(type_identifier) (generic_type) (scoped_type_identifier) (array_type)] @fact.returns)
(formal_parameter type: (_) @type name: (identifier) @fact.local)
(spread_parameter (_) @type . "..." (variable_declarator name: (identifier) @fact.local))
(lambda_expression parameters: (identifier) @fact.local)
(inferred_parameters (identifier) @fact.local)
(local_variable_declaration type: (_) @type
  declarator: (variable_declarator name: (identifier) @fact.local value: (_)? @value))
(field_declaration
  type: [(type_identifier) (generic_type) (scoped_type_identifier) (array_type)] @type
  declarator: (variable_declarator name: (identifier) @fact.field))
(record_declaration parameters: (formal_parameters
  (formal_parameter type: (_) @type name: (identifier) @fact.field)))
(enhanced_for_statement type: (_) @type name: (identifier) @fact.local value: (_) @each)
(catch_formal_parameter (catch_type) @type name: (identifier) @fact.local)
(resource type: (_) @type name: (identifier) @fact.local value: (_) @value)
(instanceof_expression right: (_) @type name: (identifier) @fact.local)
(type_pattern (_) @type (identifier) @fact.local .)
(record_pattern_component (_) @type (identifier) @fact.local .)
