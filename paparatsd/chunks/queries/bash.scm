(comment) @comment

(function_definition name: (word) @name) @def.function
((program (declaration_command "readonly" (variable_assignment name: (variable_name) @name))
  @def.constant))
(program (variable_assignment name: (variable_name) @name) @def.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @def.variable)

((command name: (command_name (word) @_source) . argument: (_) @use.import)
  (#any-of? @_source "source" "." "load"))
((command name: (command_name (word) @use.call))
  (#not-match? @use.call "^(source|[.]|load|echo|cd|printf|test|true|false|exit|return|shift|set|eval|exec|trap|read|rm|mkdir|cp|mv|cat|grep|sed|awk)$"))
