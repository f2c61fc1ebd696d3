[(comment) (multiline_comment)] @comment

(class_declaration "struct" name: (type_identifier) @name) @def.struct
(class_declaration "enum" name: (type_identifier) @name) @def.enum
(class_declaration "extension" name: (user_type) @name) @def.impl
(class_declaration name: (type_identifier) @name) @def.class
(protocol_declaration name: (type_identifier) @name) @def.interface
(typealias_declaration name: (type_identifier) @name) @def.type
(enum_entry name: (simple_identifier) @name) @def.constant
(function_declaration name: (simple_identifier) @name) @def.function
(protocol_function_declaration name: (simple_identifier) @name) @def.method
(init_declaration "init" @name) @def.method
(deinit_declaration "deinit" @name) @def.method
(subscript_declaration "subscript" @name) @def.method
(protocol_property_declaration name: (pattern
  bound_identifier: (simple_identifier) @name)) @def.property
(source_file (property_declaration name: (pattern
  bound_identifier: (simple_identifier) @name)) @def.variable)
(class_body (property_declaration name: (pattern
  bound_identifier: (simple_identifier) @name)) @def.property)
(enum_class_body (property_declaration name: (pattern
  bound_identifier: (simple_identifier) @name)) @def.property)
(associatedtype_declaration name: (type_identifier) @name) @def.type

(import_declaration (identifier) @use.import)
(attribute (user_type (type_identifier) @use.decorator))
(inheritance_specifier inherits_from: (user_type (type_identifier) @use.inherit))
((call_expression . (simple_identifier) @use.construct) (#match? @use.construct "^[A-Z]"))
(call_expression . (simple_identifier) @use.call)
(call_expression . (navigation_expression target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @use.call)))
(user_type (type_identifier) @use.type)
