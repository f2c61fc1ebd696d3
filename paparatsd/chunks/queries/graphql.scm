(comment) @comment
(description (string_value) @docstring)

(object_type_definition (name) @name) @def.class
(input_object_type_definition (name) @name) @def.struct
(enum_type_definition (name) @name) @def.enum
(enum_value (name) @name) @def.constant
(interface_type_definition (name) @name) @def.interface
(union_type_definition (name) @name) @def.type
(scalar_type_definition (name) @name) @def.type
(directive_definition (name) @name) @def.macro
(field_definition . (description)? . (name) @name) @def.field
(input_fields_definition (input_value_definition (name) @name) @def.field)
(operation_definition (name) @name) @def.function
(fragment_definition (fragment_name) @name) @def.function

(implements_interfaces (named_type (name) @use.inherit))
(fragment_spread (fragment_name) @use.reference)
(directive (name) @use.decorator)
(named_type (name) @use.type)
