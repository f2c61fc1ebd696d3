(comment) @comment

(class name: (_) @name) @def.class
(module name: (_) @name) @def.module
(method name: (_) @name) @def.function
(singleton_method name: (_) @name) @def.function
(assignment left: (constant) @name) @def.constant
((call method: (identifier) @_method arguments: (argument_list (simple_symbol) @name)) @def.property
  (#match? @_method "^attr_(accessor|reader|writer)$"))
((call method: (identifier) @_method arguments: (argument_list . (simple_symbol) @name)) @def.property
  (#match? @_method "^(has_many|has_one|belongs_to|scope|define_method|has_and_belongs_to_many)$"))
(alias name: (_) @name) @def.function

((call method: (identifier) @_method arguments: (argument_list . (string) @use.import))
  (#any-of? @_method "require" "require_relative" "load" "autoload"))
((call method: (identifier) @_method arguments: (argument_list (constant) @use.inherit))
  (#any-of? @_method "include" "extend" "prepend"))
((call method: (identifier) @_method arguments: (argument_list
  (scope_resolution name: (constant) @use.inherit)))
  (#any-of? @_method "include" "extend" "prepend"))
(superclass (constant) @use.inherit)
(superclass (scope_resolution scope: (_) @receiver name: (constant) @use.inherit))
((call receiver: (constant) @use.construct method: (identifier) @_new) (#eq? @_new "new"))
((call receiver: (scope_resolution scope: (_) @receiver name: (constant) @use.construct)
  method: (identifier) @_new) (#eq? @_new "new"))
((call !receiver method: (identifier) @use.call)
  (#not-match? @use.call "^(require_relative|load|include|extend|prepend|attr_.*|raise|puts|lambda|proc)$"))
(call receiver: (_) @receiver method: (identifier) @use.call)
(body_statement (identifier) @use.call)
(program (identifier) @use.call)
(rescue (exceptions (constant) @use.type))
(scope_resolution scope: (_) @receiver name: (constant) @use.type)
(constant) @use.type
