[(line_comment) (multiline_comment)] @comment

(class_declaration "interface" (type_identifier) @name (class_body)? @body) @def.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @def.enum
(class_declaration (type_identifier) @name [(class_body) (enum_class_body)]? @body) @def.class
(object_declaration (type_identifier) @name (class_body)? @body) @def.class
(companion_object (type_identifier) @name) @def.class
(type_alias (type_identifier) @name) @def.type
(enum_entry (simple_identifier) @name) @def.constant
(function_declaration (simple_identifier) @name (function_body)? @body) @def.function
(secondary_constructor "constructor" @name) @def.method
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @def.property
((property_declaration (modifiers (property_modifier) @_modifier)
  (variable_declaration (simple_identifier) @name)) @def.constant (#eq? @_modifier "const"))
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @def.variable)
(class_body (property_declaration (variable_declaration (simple_identifier) @name)) @def.property)

(import_header (identifier) @use.import (import_alias (type_identifier) @alias))
(import_header (identifier) @use.import (wildcard_import) @every)
(import_header (identifier) @use.import)
(annotation (user_type (type_identifier) @use.decorator))
(annotation (constructor_invocation (user_type (type_identifier) @use.decorator)))
(delegation_specifier (user_type (type_identifier) @use.inherit))
(delegation_specifier (constructor_invocation (user_type (type_identifier) @use.inherit)))
((call_expression (simple_identifier) @use.construct) (#match? @use.construct "^[A-Z][A-Za-z0-9]*[a-z]"))
(call_expression (simple_identifier) @use.call)
(call_expression (navigation_expression (_) @receiver
  (navigation_suffix (simple_identifier) @use.call)))
(infix_expression (_) (simple_identifier) @use.call (_))
(user_type (type_identifier) @receiver . (type_identifier) @use.type)
(user_type (type_identifier) @use.type)
(callable_reference (type_identifier) @receiver (simple_identifier) @use.value)
(callable_reference (simple_identifier) @use.value)
(navigation_expression (_) @receiver (navigation_suffix "::" (simple_identifier) @use.value))
((navigation_expression (simple_identifier) @receiver (navigation_suffix (simple_identifier) @use.value))
  (#match? @receiver "^[A-Z]"))

(package_header (identifier) @fact.package)
(function_declaration (function_value_parameters) . [(user_type) (nullable_type)] @fact.returns)
(function_declaration (function_value_parameters) . (function_body "=" . (_) @fact.yields))
(function_declaration receiver: (receiver_type (_) @type) @fact.local @extended)
(parameter (simple_identifier) @fact.local . (_) @type)
(class_parameter (simple_identifier) @fact.field . (_) @type)
(property_declaration (variable_declaration (simple_identifier) @fact.bind . (_)? @type)
  . "=" . (_) @value)
((property_declaration (variable_declaration (simple_identifier) @fact.bind)
  (property_delegate (call_expression (simple_identifier) @_lazy
    (call_suffix (annotated_lambda (lambda_literal (statements . (_) @value .)))))))
  (#eq? @_lazy "lazy"))
(property_declaration (variable_declaration (simple_identifier) @fact.bind . (_)? @type))
(for_statement (variable_declaration (simple_identifier) @fact.local . (_)? @type) . "in" . (_) @each)
(lambda_parameters (variable_declaration (simple_identifier) @fact.local . (_)? @type))
(multi_variable_declaration (variable_declaration (simple_identifier) @fact.local . (_)? @type))
(when_subject (variable_declaration (simple_identifier) @fact.local) . "=" . (_) @value)
(catch_block (simple_identifier) @fact.local . (user_type) @type)
