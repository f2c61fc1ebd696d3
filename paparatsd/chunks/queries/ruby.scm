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

((call method: (identifier) @_method @every arguments: (argument_list . (string) @use.import))
  (#any-of? @_method "require" "require_relative" "load" "autoload"))
((call method: (identifier) @_method @every
  arguments: (argument_list . (simple_symbol) . (string) @use.import)) (#eq? @_method "autoload"))
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
((call receiver: (_)? @receiver method: (identifier) @_method
  arguments: (argument_list (simple_symbol) @use.value))
  (#match? @_method "^((prepend_|append_|skip_)?(before|after|around)_.*|validate|helper_method|rescue_from|set_callback|delegate|method|public_method|instance_method|send|public_send|__send__|alias_method|private|protected|public|module_function|private_class_method)$"))
(call receiver: (_) @receiver arguments: (argument_list (block_argument (simple_symbol) @use.value)))
(call receiver: (identifier) @use.value)
(argument_list (identifier) @use.value)
(assignment right: (identifier) @use.value)
(interpolation (identifier) @use.value)
(_ condition: (identifier) @use.value)

(method_parameters (identifier) @fact.local)
(optional_parameter name: (identifier) @fact.local value: (_) @value)
(keyword_parameter name: (identifier) @fact.local value: (_)? @value)
(splat_parameter name: (identifier) @fact.local)
(hash_splat_parameter name: (identifier) @fact.local)
(block_parameter name: (identifier) @fact.local)
(block_parameters (identifier) @fact.local)
(lambda_parameters (identifier) @fact.local)
(destructured_parameter (identifier) @fact.local)
(left_assignment_list (identifier) @fact.local)
(assignment left: [(constant) (class_variable)] @fact.bind right: [(call) (constant) (scope_resolution)] @value)
(assignment left: [(identifier) (instance_variable)] @fact.local right: [(call) (identifier) (constant) (scope_resolution) (instance_variable)] @value)
(assignment left: (identifier) @fact.local)
(operator_assignment left: [(identifier) (instance_variable)] @fact.local right: (_) @value)
(rescue (exceptions) @type variable: (exception_variable (identifier) @fact.local))
(return (argument_list . [(call) (identifier) (constant) (instance_variable)] @fact.yields .))
(method body: [(call) (identifier) (constant) (instance_variable)] @fact.yields)
(method body: (body_statement
  [(call) (identifier) (constant) (scope_resolution) (instance_variable) (self)] @fact.yields .))
(method body: (body_statement (operator_assignment left: (instance_variable) @fact.yields) .))
(singleton_method body: (body_statement
  [(call) (identifier) (constant) (scope_resolution) (instance_variable) (self)] @fact.yields .))
