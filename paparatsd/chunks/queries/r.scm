(comment) @comment

(binary_operator lhs: (identifier) @name ["<-" "=" "<<-"]
  rhs: (function_definition body: (_) @body)) @def.function
(program (binary_operator lhs: (identifier) @name ["<-" "="] rhs: (call
  function: (identifier) @_class)) @def.class (#match? @_class "^(R6Class|setRefClass|setClass)$"))
(program (binary_operator lhs: (identifier) @name ["<-" "="]) @def.variable)
(argument name: (identifier) @name value: (function_definition body: (_) @body)) @def.function
((call function: (identifier) @_set arguments: (arguments . (argument value: (string) @name)))
  @def.function (#match? @_set "^(setGeneric|setMethod|setClass|setValidity)$"))

((call function: (identifier) @_library arguments: (arguments . (argument value: (_) @use.import)))
  (#match? @_library "^(library|require|requireNamespace|source)$"))
(call function: (namespace_operator lhs: (_) @receiver rhs: (identifier) @use.call))
(call function: (extract_operator lhs: (_) @receiver rhs: (identifier) @use.call))
(call function: (identifier) @use.call)
