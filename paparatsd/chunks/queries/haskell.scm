[(comment) (haddock)] @comment

(data_type name: (_) @name) @def.struct
(newtype name: (_) @name) @def.struct
(data_constructor constructor: (_ name: (constructor) @name)) @def.constant
(field_name (variable) @name) @def.field
(type_synomym name: (_) @name) @def.type
(class name: (_) @name) @def.interface
(instance patterns: (type_patterns . [(name) @name
  (parens type: (apply constructor: (name) @name))])) @def.impl
(declarations (signature name: (variable) @name) @def.function)
(class_declarations (signature name: (variable) @name) @def.function)
(declarations (function name: (variable) @name) @def.function)
(class_declarations (function name: (variable) @name) @def.function)
(instance_declarations (function name: (variable) @name) @def.function)
(declarations (function (infix operator: (_) @name)) @def.function)
(declarations (signature name: (prefix_id (operator) @name)) @def.function)
(declarations (bind name: (variable) @name) @def.function)
(instance_declarations (bind name: (variable) @name) @def.function)

(import module: (module) @target names: (import_list name: (import_name . (_) @use.import)))
(import module: (module) @use.import)
(instance name: (name) @use.inherit)
(deriving classes: (_ (name) @use.inherit))
(apply function: (variable) @use.call)
(apply function: (qualified module: (_) @receiver id: (variable) @use.call))
(apply function: (constructor) @use.construct)
(infix operator: (infix_id (variable) @use.call))
(name) @use.type
(qualified module: (_) @receiver id: (variable) @use.reference)
