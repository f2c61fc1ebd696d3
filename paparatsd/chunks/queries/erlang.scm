(comment) @comment

(spec fun: (atom) @name) @def.function
(function_clause name: (atom) @name body: (_) @body) @def.function
(record_decl name: (atom) @name) @def.struct
(record_field name: (atom) @name) @def.field
(type_alias name: (type_name name: (atom) @name)) @def.type
(opaque name: (type_name name: (atom) @name)) @def.type
(pp_define lhs: (macro_lhs name: (_) @name)) @def.macro
(callback fun: (atom) @name) @def.function

(behaviour_attribute name: (atom) @use.inherit)
(pp_include file: (string) @use.import)
(pp_include_lib file: (string) @use.import)
(import_attribute module: (atom) @target funs: (fa fun: (atom) @use.import))
(call expr: (remote module: (remote_module module: (_) @receiver) fun: (atom) @use.call))
(call expr: (atom) @use.call)
(record_expr name: (record_name name: (atom) @use.construct))
(macro_call_expr name: (_) @use.reference)
