(comment) @comment
(decorator) @attribute

(module . (comment)* . (string) @docstring)
(class_definition body: (block . (comment)* . (string) @docstring))
(function_definition body: (block . (comment)* . (string) @docstring))

(class_definition name: (identifier) @name) @def.class
(function_definition name: (identifier) @name) @def.function

((module (assignment left: (identifier) @name) @def.constant)
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
((class_definition body: (block (assignment left: (identifier) @name) @def.constant))
  (#match? @name "^_*[A-Z][A-Z0-9_]*$"))
(module (assignment left: (identifier) @name) @def.variable)
(module (assignment left: (pattern_list (identifier) @name)) @def.variable)
(module (if_statement consequence: (block (assignment left: (identifier) @name) @def.variable)))
(module (try_statement body: (block (assignment left: (identifier) @name) @def.variable)))
(class_definition body: (block (assignment left: (identifier) @name) @def.field))
(type_alias_statement left: (type (identifier) @name)) @def.type

(import_statement name: (dotted_name) @use.import @whole)
(import_statement name: (aliased_import name: (dotted_name) @use.import @whole
  alias: (identifier) @alias))
(import_from_statement module_name: (_) @target name: (dotted_name) @use.import)
(import_from_statement module_name: (_) @target name: (aliased_import
  name: (dotted_name) @use.import alias: (identifier) @alias))
(import_from_statement module_name: (_) @target (wildcard_import) @use.import)

(decorator (identifier) @use.decorator)
(decorator (attribute object: (_) @receiver attribute: (identifier) @use.decorator))
(decorator (call function: (identifier) @use.decorator))
(decorator (call function: (attribute object: (_) @receiver attribute: (identifier) @use.decorator)))

(class_definition superclasses: (argument_list (identifier) @use.inherit))
(class_definition superclasses: (argument_list
  (attribute object: (_) @receiver attribute: (identifier) @use.inherit)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @use.inherit)))

((call function: (identifier) @use.construct) (#match? @use.construct "^_*[A-Z][A-Za-z0-9]*[a-z]"))
(call function: (identifier) @use.call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @use.call))

(type (identifier) @use.type)
(type (attribute object: (_) @receiver attribute: (identifier) @use.type))
(type (generic_type (identifier) @use.type))
(type (binary_operator (identifier) @use.type))
(except_clause value: (identifier) @use.type)
(except_clause value: (attribute object: (_) @receiver attribute: (identifier) @use.type))
(except_clause value: (as_pattern [
  (identifier) @use.type
  (attribute object: (_) @receiver attribute: (identifier) @use.type)
  (tuple [(identifier) @use.type
    (attribute object: (_) @receiver attribute: (identifier) @use.type)])]))
(except_clause value: (tuple [(identifier) @use.type
  (attribute object: (_) @receiver attribute: (identifier) @use.type)]))

(parameters (identifier) @fact.local)
(typed_parameter . (identifier) @fact.local type: (type) @type)
(default_parameter name: (identifier) @fact.local value: (_) @value)
(typed_default_parameter name: (identifier) @fact.local type: (type) @type)
(list_splat_pattern (identifier) @fact.local)
(dictionary_splat_pattern (identifier) @fact.local)
(lambda_parameters (identifier) @fact.local)

(assignment left: [(identifier) (attribute)] @fact.bind type: (type)? @type right: (_)? @value)
(assignment left: (pattern_list [(identifier) (attribute)] @fact.local))
(tuple_pattern (identifier) @fact.local)
(named_expression name: (identifier) @fact.local value: (_) @value)
(for_statement left: (identifier) @fact.local right: (_) @each)
(for_statement left: (pattern_list (identifier) @fact.local))
(for_in_clause left: (identifier) @fact.local right: (_) @each)
(for_in_clause left: (pattern_list (identifier) @fact.local))
(with_item value: (as_pattern (_) @value alias: (as_pattern_target (identifier) @fact.local)))
(with_item value: (as_pattern alias: (as_pattern_target (tuple (identifier) @fact.local))))
(except_clause value: (as_pattern (_) @type alias: (as_pattern_target (identifier) @fact.local)))
(case_pattern (as_pattern (identifier) @fact.local))

(function_definition return_type: (type) @fact.returns)
(return_statement [(identifier) (attribute) (call) (await) (boolean_operator)] @fact.yields)

(argument_list [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(keyword_argument value: [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(pair value: [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(list [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(tuple [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(expression_list [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(assignment right: [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(return_statement [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(raise_statement . [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(default_parameter value: [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(typed_default_parameter value: [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(comparison_operator [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(boolean_operator [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(binary_operator [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
(conditional_expression [(identifier) @use.value
  (attribute object: (_) @receiver attribute: (identifier) @use.value)])
