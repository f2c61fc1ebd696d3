; inherits: c

(template_declaration parameters: (template_parameter_list) @attribute)

(class_specifier name: (type_identifier) @name body: (_)) @def.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @def.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @def.struct
(namespace_definition name: (_) @name) @def.module
(concept_definition name: (identifier) @name) @def.type
(alias_declaration name: (type_identifier) @name) @def.type

(function_definition declarator: (function_declarator declarator: [(field_identifier)
  (destructor_name) (operator_name)] @name)) @def.method
(function_definition declarator: (_ (function_declarator declarator: [(field_identifier)
  (operator_name)] @name))) @def.method
(function_definition declarator: (function_declarator
  declarator: (qualified_identifier) @name)) @def.method
(function_definition declarator: (_ (function_declarator
  declarator: (qualified_identifier) @name))) @def.method
(function_definition declarator: (operator_cast) @name) @def.method
(function_definition declarator: (reference_declarator (function_declarator
  declarator: (identifier) @name))) @def.function
(field_declaration declarator: (function_declarator declarator: [(field_identifier)
  (operator_name)] @name)) @def.method
(field_declaration declarator: (_ (function_declarator declarator: [(field_identifier)
  (operator_name)] @name))) @def.method
(declaration declarator: (function_declarator declarator: [(destructor_name)
  (operator_name)] @name)) @def.method
(declaration declarator: (reference_declarator (function_declarator
  declarator: (identifier) @name))) @def.function
(namespace_definition body: (declaration_list (declaration declarator: (init_declarator
  declarator: (identifier) @name)) @def.variable))

(using_declaration (qualified_identifier) @use.import)
(base_class_clause (type_identifier) @use.inherit)
(base_class_clause (template_type name: (type_identifier) @use.inherit))
(base_class_clause (qualified_identifier scope: (_) @receiver name: (type_identifier) @use.inherit))
(new_expression type: (type_identifier) @use.construct)
(new_expression type: (qualified_identifier
  scope: (_) @receiver name: (type_identifier) @use.construct))
(call_expression function: (qualified_identifier
  scope: (_) @receiver name: (identifier) @use.call))
(call_expression function: (qualified_identifier (qualified_identifier
  scope: (_) @receiver name: (identifier) @use.call)))
(call_expression function: (template_function name: (identifier) @use.call))
(call_expression function: (qualified_identifier
  scope: (_) @receiver name: (template_function name: (identifier) @use.call)))
(call_expression function: (field_expression argument: (_) @receiver
  field: (template_method name: (field_identifier) @use.call)))
(qualified_identifier scope: (_) @receiver name: (type_identifier) @use.type)
(argument_list [
  (qualified_identifier scope: (_) @receiver name: (identifier) @use.value)
  (pointer_expression argument: (qualified_identifier
    scope: (_) @receiver name: (identifier) @use.value))])
(return_statement (qualified_identifier scope: (_) @receiver name: (identifier) @use.value))
(binary_expression (qualified_identifier scope: (_) @receiver name: (identifier) @use.value))
(case_statement value: (qualified_identifier
  scope: (_) @receiver name: (identifier) @use.value))

(function_definition declarator: (reference_declarator (function_declarator
  parameters: (parameter_list (parameter_declaration
    type: (_) @type declarator: [(identifier) @fact.local (_ (identifier) @fact.local)])))))
(optional_parameter_declaration
  type: (_) @type declarator: [(identifier) @fact.local (reference_declarator (identifier) @fact.local)])
(catch_clause parameters: (parameter_list (parameter_declaration
  type: (_) @type declarator: [(identifier) @fact.local (_ (identifier) @fact.local)])))
(lambda_declarator parameters: (parameter_list (parameter_declaration
  type: (_) @type declarator: [(identifier) @fact.local (_ (identifier) @fact.local)])))
(for_range_loop type: (_) @type
  declarator: [(identifier) @fact.local (_ (identifier) @fact.local)] right: (_) @each)
(declaration type: (_) @type declarator: (init_declarator
  declarator: (reference_declarator (identifier) @fact.local) value: (_) @value))
(structured_binding_declarator (identifier) @fact.local)
(alias_declaration type: (_) @fact.returns)
(function_definition type: [(qualified_identifier) (template_type)] @fact.returns)
(trailing_return_type (_) @fact.returns)
(field_declaration type: [(type_identifier) (qualified_identifier) (template_type)] @fact.returns
  declarator: [(function_declarator) (_ (function_declarator))])
(declaration type: [(type_identifier) (qualified_identifier) (template_type)] @fact.returns
  declarator: [(function_declarator) (_ (function_declarator))])
