(comment) @comment

(value_specification (value_name) @name) @def.function
(external (value_name) @name) @def.function
(type_definition (type_binding name: (type_constructor) @name)) @def.type
(constructor_declaration (constructor_name) @name) @def.constant
(field_declaration (field_name) @name) @def.field
(module_definition (module_binding (module_name) @name)) @def.module
(module_type_definition (module_type_name) @name) @def.interface

(open_module module: (module_path) @use.import)
(type_constructor_path (extended_module_path) @receiver (type_constructor) @use.type)
(type_constructor_path . (type_constructor) @use.type)
