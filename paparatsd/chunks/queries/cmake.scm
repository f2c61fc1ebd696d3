[(line_comment) (bracket_comment)] @comment

(function_def (function_command (argument_list . (argument) @name)) (body) @body) @def.function
(macro_def (macro_command (argument_list . (argument) @name)) (body) @body) @def.macro
((normal_command (identifier) @_add (argument_list . (argument) @name)) @def.resource
  (#match? @_add "^(add_library|add_executable|add_custom_target|add_test|project)$"))
((source_file (normal_command (identifier) @_set (argument_list . (argument) @name)) @def.variable)
  (#match? @_set "^(set|option)$"))

((normal_command (identifier) @_include (argument_list . (argument) @use.import))
  (#match? @_include "^(include|find_package|add_subdirectory)$"))
(normal_command (identifier) @use.call)
