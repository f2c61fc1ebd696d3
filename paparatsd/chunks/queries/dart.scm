[(comment) (documentation_comment)] @comment
(annotation) @attribute

(class_definition name: (identifier) @name) @def.class
(mixin_declaration . (mixin) . (identifier) @name (class_body) @body) @def.trait
(enum_declaration name: (identifier) @name) @def.enum
(enum_constant name: (identifier) @name) @def.constant
(extension_declaration name: (identifier) @name) @def.impl
(type_alias . (type_identifier) @name) @def.type
((method_signature (function_signature name: (identifier) @name)) @def.method . (function_body)? @end)
((method_signature (getter_signature name: (identifier) @name)) @def.property . (function_body)? @end)
((method_signature (setter_signature name: (identifier) @name)) @def.property . (function_body)? @end)
((method_signature (operator_signature (binary_operator) @name)) @def.method . (function_body)? @end)
((method_signature (constructor_signature name: (identifier) @name .
  (formal_parameter_list))) @def.method . (function_body)? @end)
((method_signature (factory_constructor_signature (identifier) @name .
  (formal_parameter_list))) @def.method . (function_body)? @end)
(declaration (function_signature name: (identifier) @name)) @def.method
(declaration (getter_signature name: (identifier) @name)) @def.property
(declaration (constructor_signature name: (identifier) @name .
  parameters: (formal_parameter_list))) @def.method
(declaration (constant_constructor_signature (identifier) @name . (formal_parameter_list))) @def.method
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name)))
  @def.constant
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @def.field
(program (function_signature name: (identifier) @name) @def.function . (function_body)? @end)
(program (getter_signature name: (identifier) @name) @def.function . (function_body)? @end)
(program (static_final_declaration_list (static_final_declaration . (identifier) @name)
  @def.constant))
(program (initialized_identifier_list (initialized_identifier . (identifier) @name) @def.variable))

(import_specification (configurable_uri (uri (string_literal) @use.import))
  (identifier)? @alias) @whole
(uri (string_literal) @use.import)
(annotation name: (identifier) @use.decorator)
(superclass (type_identifier) @use.inherit)
(mixins (type_identifier) @use.inherit)
(interfaces (type_identifier) @use.inherit)
(new_expression (type_identifier) @use.construct)
(const_object_expression (type_identifier) @use.construct)
((identifier) @use.construct . (selector (argument_part)) (#match? @use.construct "^[A-Z]"))
((identifier) @use.call . (selector (argument_part)))
((identifier) @receiver . (selector (unconditional_assignable_selector
  (identifier) @use.call)) . (selector (argument_part)))
((selector (unconditional_assignable_selector (identifier) @use.call)) .
  (selector (argument_part)))
((selector (conditional_assignable_selector (identifier) @use.call)) . (selector (argument_part)))
(type_identifier) @use.type

(argument . (identifier) @use.value .)
(named_argument (label) . (identifier) @use.value .)

(formal_parameter (type_identifier)? @type name: (identifier) @fact.local)
((initialized_variable_definition name: (identifier) @fact.local
  value: (identifier) @type . value: (selector (argument_part)) .) (#match? @type "^[A-Z]"))
(initialized_variable_definition (type_identifier) @type name: (identifier) @fact.local)
(initialized_variable_definition name: (identifier) @fact.local)
(for_loop_parts name: (identifier) @fact.local value: (identifier) @each .)
(declaration (type_identifier) @type
  (initialized_identifier_list (initialized_identifier . (identifier) @fact.field)))
(function_signature (type_identifier) @fact.returns name: (identifier))
