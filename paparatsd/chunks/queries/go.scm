(comment) @comment

(function_declaration name: (identifier) @name) @def.function
(method_declaration
  receiver: (parameter_list (parameter_declaration
    type: [(type_identifier) @scope (pointer_type (type_identifier) @scope)
           (generic_type type: (type_identifier) @scope)
           (pointer_type (generic_type type: (type_identifier) @scope))]))
  name: (field_identifier) @name) @def.method
(type_declaration (type_spec name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @def.struct)
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type)) @def.interface)
(type_declaration (type_spec name: (type_identifier) @name) @def.type)
(type_declaration (type_alias name: (type_identifier) @name) @def.type)
(method_elem name: (field_identifier) @name) @def.method
(field_declaration_list (field_declaration name: (field_identifier) @name) @def.field)
(source_file (const_declaration (const_spec name: (identifier) @name) @def.constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @def.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @def.variable)))

(import_spec name: (_)? @alias path: (_) @use.import) @whole
(struct_type (field_declaration_list (field_declaration !name
  type: [(type_identifier) @use.inherit (pointer_type (type_identifier) @use.inherit)
         (qualified_type package: (_) @receiver name: (type_identifier) @use.inherit)])))
(type_elem (type_identifier) @use.inherit)
(composite_literal type: (type_identifier) @use.construct)
(composite_literal type: (qualified_type
  package: (_) @receiver name: (type_identifier) @use.construct))
(call_expression function: (identifier) @use.call)
(call_expression function: (selector_expression
  operand: (_) @receiver field: (field_identifier) @use.call))
(qualified_type package: (_) @receiver name: (type_identifier) @use.type)
(type_identifier) @use.type
(argument_list (identifier) @use.value)
(argument_list (selector_expression operand: (_) @receiver field: (field_identifier) @use.value))
(literal_value (literal_element (identifier) @use.value))
(keyed_element value: (literal_element [(identifier) @use.value (selector_expression
  operand: (_) @receiver field: (field_identifier) @use.value)]))
(assignment_statement right: (expression_list [(identifier) @use.value (selector_expression
  operand: (_) @receiver field: (field_identifier) @use.value)]))
(short_var_declaration right: (expression_list [(identifier) @use.value (selector_expression
  operand: (_) @receiver field: (field_identifier) @use.value)]))
(var_spec value: (expression_list [(identifier) @use.value (selector_expression
  operand: (_) @receiver field: (field_identifier) @use.value)]))
(return_statement (expression_list [(identifier) @use.value (selector_expression
  operand: (_) @receiver field: (field_identifier) @use.value)]))
(binary_expression [(identifier) @use.value (selector_expression
  operand: (_) @receiver field: (field_identifier) @use.value)])
(expression_case value: (expression_list [(identifier) @use.value (selector_expression
  operand: (_) @receiver field: (field_identifier) @use.value)]))

(package_clause (package_identifier) @fact.package)
(parameter_declaration name: (identifier) @fact.local type: (_) @type)
(variadic_parameter_declaration name: (identifier) @fact.local)
(field_declaration name: (field_identifier) @fact.field type: (_) @type)
(field_declaration !name type: [(type_identifier) @fact.field
  (qualified_type name: (type_identifier) @fact.field)
  (generic_type type: (type_identifier) @fact.field)] @type)
(type_spec type: [(type_identifier) (qualified_type) (pointer_type) (slice_type) (map_type)
  (channel_type)] @fact.returns)
(type_alias type: (_) @fact.returns)
(var_spec . name: (identifier) @fact.bind type: (_)? @type
  value: (expression_list . (_) @value)?)
(var_spec name: (identifier) @fact.bind type: (_)? @type)
(short_var_declaration left: (expression_list . (identifier) @fact.local)
  right: (expression_list . [
    (type_assertion_expression type: (_) @type)
    (composite_literal type: (_) @type)
    (unary_expression operand: (composite_literal type: (_) @type))
    (call_expression arguments: (argument_list . [(type_identifier) (qualified_type) (slice_type)
      (map_type) (channel_type)] @type))]))
(short_var_declaration left: (expression_list . (identifier) @fact.local)
  right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list . (_) . (identifier) @fact.local)
  right: (expression_list . (_) . (_) @value))
(short_var_declaration left: (expression_list (_) (identifier) @fact.local))
(range_clause left: (expression_list . (identifier) @fact.local))
(range_clause left: (expression_list . (_) . (identifier) @fact.local) right: (_) @each)
(type_switch_statement alias: (expression_list (identifier) @fact.local))
[(function_declaration result: [(type_identifier) (pointer_type) (qualified_type) (slice_type)
    (map_type) (generic_type) (channel_type)] @fact.returns)
 (method_declaration result: [(type_identifier) (pointer_type) (qualified_type) (slice_type)
    (map_type) (generic_type) (channel_type)] @fact.returns)
 (method_elem result: [(type_identifier) (pointer_type) (qualified_type) (slice_type)
    (map_type) (generic_type) (channel_type)] @fact.returns)]
[(function_declaration result: (parameter_list . (parameter_declaration type: (_) @fact.returns)))
 (method_declaration result: (parameter_list . (parameter_declaration type: (_) @fact.returns)))
 (method_elem result: (parameter_list . (parameter_declaration type: (_) @fact.returns)))]
