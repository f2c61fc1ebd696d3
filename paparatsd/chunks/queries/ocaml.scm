(comment) @comment

(compilation_unit (value_definition (let_binding pattern: (value_name) @name . (parameter))) @def.function)
(structure (value_definition (let_binding pattern: (value_name) @name . (parameter))) @def.function)
(compilation_unit (value_definition (let_binding pattern: (value_name) @name
  body: (fun_expression))) @def.function)
(compilation_unit (value_definition (let_binding pattern: (value_name) @name
  body: (function_expression))) @def.function)
(compilation_unit (value_definition (let_binding pattern: (value_name) @name)) @def.constant)
(structure (value_definition (let_binding pattern: (value_name) @name)) @def.constant)
(value_specification (value_name) @name) @def.function
(external (value_name) @name) @def.function
(type_definition (type_binding name: (type_constructor) @name)) @def.type
(constructor_declaration (constructor_name) @name) @def.constant
(field_declaration (field_name) @name) @def.field
(module_definition (module_binding (module_name) @name)) @def.module
(module_type_definition (module_type_name) @name) @def.interface
(class_definition (class_binding (class_name) @name)) @def.class
(method_definition (method_name) @name) @def.method

(open_module module: (module_path) @use.import)
(include_module module: (module_path) @use.inherit)
(application_expression function: (value_path (module_path) @receiver (value_name) @use.call))
(application_expression function: (value_path . (value_name) @use.call))
(constructor_path (constructor_name) @use.construct)
(type_constructor_path (extended_module_path) @receiver (type_constructor) @use.type)
(type_constructor_path . (type_constructor) @use.type)
