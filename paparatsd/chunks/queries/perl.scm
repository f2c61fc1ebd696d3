[(comment) (pod)] @comment

(package_statement name: (package) @name) @def.module
(subroutine_declaration_statement name: (bareword) @name) @def.function
((use_statement module: (package) @_constant (list_expression . (autoquoted_bareword) @name)) @def.constant
  (#eq? @_constant "constant"))
(source_file (expression_statement (assignment_expression left: (variable_declaration
  variable: (_) @name))) @def.variable)

((use_statement module: (package) @_parent [(string_literal content: (_) @use.inherit)
  (quoted_word_list content: (_) @use.inherit)]) (#match? @_parent "^(parent|base)$"))
((use_statement module: (package) @use.import)
  (#not-match? @use.import "^(strict|warnings|utf8|vars|parent|base|constant|feature|lib)$"))
(require_expression (bareword) @use.import)
(method_call_expression invocant: (_) @receiver method: (method) @use.call)
(function_call_expression function: (function) @use.call)
(ambiguous_function_call_expression function: (function) @use.call)
