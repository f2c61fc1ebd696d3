[(line_comment) (block_comment)] @comment
(block (string_literal) @comment)

(module_definition name: (identifier) @name) @def.module
(struct_definition (type_head (identifier) @name)) @def.struct
(struct_definition (type_head (binary_expression . (identifier) @name))) @def.struct
(struct_definition (type_head (parametrized_type_expression . (identifier) @name))) @def.struct
(struct_definition (type_head (binary_expression
  . (parametrized_type_expression . (identifier) @name)))) @def.struct
(struct_definition (block (typed_expression . (identifier) @name) @def.field))
(abstract_definition (type_head (identifier) @name)) @def.type
(abstract_definition (type_head (binary_expression . (identifier) @name))) @def.type
(const_statement (assignment . (identifier) @name)) @def.constant
(function_definition (signature (call_expression . [(identifier) (field_expression)] @name))) @def.function
(function_definition (signature (where_expression
  (call_expression . [(identifier) (field_expression)] @name)))) @def.function
(function_definition (signature (typed_expression
  (call_expression . [(identifier) (field_expression)] @name)))) @def.function
(macro_definition (signature (call_expression . (identifier) @name))) @def.macro
(assignment . (call_expression . [(identifier) (field_expression)] @name)) @def.function

(using_statement (identifier) @use.import)
(using_statement (import_path) @use.import)
(import_statement (identifier) @use.import)
(selected_import . (identifier) @target (identifier) @use.import)
(type_head (binary_expression (operator) (identifier) @use.inherit))
(macrocall_expression (macro_identifier (identifier) @use.call))
(call_expression . (identifier) @use.call)
(call_expression . (field_expression value: (_) @receiver (identifier) @use.call))
(typed_expression (_) (identifier) @use.type .)
