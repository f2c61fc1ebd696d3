(comment) @comment

(function_statement (function_name) @name (script_block) @body) @def.function
(class_statement . (simple_name) @name) @def.class
(class_method_definition (simple_name) @name (script_block) @body) @def.method
(class_property_definition (variable) @name) @def.property
(enum_statement . (simple_name) @name) @def.enum
(enum_member (simple_name) @name) @def.constant

(class_statement . (simple_name) . (simple_name) @use.inherit)
((command command_name: (command_name) @_import command_elements: (command_elements
  (generic_token) @use.import)) (#match? @_import "^[Ii]mport-[Mm]odule$"))
(command command_name: (command_name) @use.call)
(invokation_expression . (_) @receiver (member_name (simple_name) @use.call))
