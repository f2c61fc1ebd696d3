(comment) @comment

(function_declaration name: (_) @name) @def.function
(assignment_statement (variable_list . name: (_) @name .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @def.function
(field name: (identifier) @name value: (function_definition)) @def.function
(chunk (assignment_statement (variable_list name: (identifier) @name)
  (expression_list value: (table_constructor))) @def.variable)

((variable_declaration (assignment_statement (variable_list . name: (identifier) @use.import)
  (expression_list . value: (function_call name: (identifier) @_require
    arguments: (arguments (string) @target)))))
  (#eq? @_require "require"))
((function_call name: (identifier) @_require arguments: (arguments (string) @use.import))
  (#eq? @_require "require"))
(chunk (variable_declaration (assignment_statement
  (variable_list name: (identifier) @name))) @def.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @def.variable)

(function_call name: (identifier) @use.call)
(function_call name: (dot_index_expression table: (_) @receiver field: (identifier) @use.call))
(function_call name: (method_index_expression table: (_) @receiver method: (identifier) @use.call))
(arguments (identifier) @use.value)
(arguments (dot_index_expression table: (_) @receiver field: (identifier) @use.value))
(field value: (identifier) @use.value)
(field value: (dot_index_expression table: (_) @receiver field: (identifier) @use.value))

(parameters name: (identifier) @fact.local)
(for_generic_clause (variable_list name: (identifier) @fact.local))
(variable_declaration (assignment_statement (variable_list . name: (identifier) @fact.local .)
  (expression_list . value: [(function_call) (identifier) (dot_index_expression)] @value .)))
(variable_declaration (assignment_statement (variable_list name: (identifier) @fact.local)))
((assignment_statement
  (variable_list . name: (dot_index_expression table: (identifier) @_self) @fact.local .)
  (expression_list . value: [(function_call) (identifier) (dot_index_expression)] @value .))
  (#eq? @_self "self"))
(function_declaration body: (block (return_statement
  (expression_list . [(function_call) (identifier) (dot_index_expression)] @fact.yields .))))
