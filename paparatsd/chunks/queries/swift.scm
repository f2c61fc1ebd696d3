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

(import_declaration (identifier) @use.import) @whole
(attribute (user_type (type_identifier) @use.decorator))
(inheritance_specifier inherits_from: (user_type
  (type_identifier) @receiver . (type_identifier) @use.inherit))
(inheritance_specifier inherits_from: (user_type (type_identifier) @use.inherit))
((call_expression . (simple_identifier) @use.construct) (#match? @use.construct "^[A-Z]"))
(call_expression . (simple_identifier) @use.call)
(call_expression . (navigation_expression target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @use.call)))
(user_type (type_identifier) @receiver . (type_identifier) @use.type)
(user_type (type_identifier) @use.type)
(value_argument value: [(simple_identifier) @use.value (navigation_expression target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @use.value))])
(selector_expression [(simple_identifier) @use.value (navigation_expression target: (_) @receiver
  suffix: (navigation_suffix suffix: (simple_identifier) @use.value))])
(assignment result: (simple_identifier) @use.value)

(parameter name: (simple_identifier) @fact.local name: (_) @type)
(lambda_parameter name: (simple_identifier) @fact.local name: (_)? @type)
(property_declaration name: (pattern bound_identifier: (simple_identifier) @fact.bind)
  value: (as_expression (as_operator) (_) @type))
(property_declaration name: (pattern bound_identifier: (simple_identifier) @fact.bind)
  (type_annotation (_) @type)? value: (_)? @value)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @fact.bind)
  (type_annotation (_) @type))
(property_declaration name: (pattern (pattern (simple_identifier) @fact.local)))
; Of `if`, `guard` and `while`: naming them would make the query take three times as long to compile.
(_ bound_identifier: (simple_identifier) @fact.local . condition: "="
  . condition: (as_expression (as_operator) (_) @type))
(_ bound_identifier: (simple_identifier) @fact.local . condition: "=" . condition: (_) @value)
(_ condition: (value_binding_pattern) . bound_identifier: (simple_identifier) @fact.local)
(for_statement item: (pattern bound_identifier: (simple_identifier) @fact.local)
  collection: (_) @each)
(for_statement item: (pattern (pattern (simple_identifier) @fact.local)))
(pattern (value_binding_pattern) bound_identifier: (simple_identifier) @fact.local)
(switch_pattern (pattern (value_binding_pattern) (pattern (simple_identifier) @fact.local)))
(function_declaration name: (simple_identifier) "->" name: (_) @fact.returns)
(protocol_function_declaration name: (simple_identifier) "->"
  name: (_) @fact.returns)
(typealias_declaration name: (type_identifier) name: (_) @fact.returns)
