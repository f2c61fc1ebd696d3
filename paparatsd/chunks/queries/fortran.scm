(comment) @comment

(module . (module_statement (name) @name)) @def.module
(program . (program_statement (name) @name)) @def.function
(subroutine . (subroutine_statement name: (name) @name) @body) @def.function
(function . (function_statement name: (name) @name)) @def.function
(derived_type_definition . (derived_type_statement (type_name) @name)) @def.struct

(use_statement (module_name) @target (included_items (identifier) @use.import))
(use_statement (module_name) @use.import)
(subroutine_call subroutine: (identifier) @use.call)
(call_expression . (identifier) @use.call)
(derived_type name: (type_name) @use.type)
