(comment) @comment

(function_definition declarator: (function_declarator
  declarator: (identifier) @name)) @def.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator
  declarator: (identifier) @name))) @def.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name)))) @def.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @def.function
(declaration declarator: (pointer_declarator declarator: (function_declarator
  declarator: (identifier) @name))) @def.function

(struct_specifier name: (type_identifier) @name body: (_)) @def.struct
(union_specifier name: (type_identifier) @name body: (_)) @def.struct
(enum_specifier name: (type_identifier) @name body: (_)) @def.enum
(type_definition type: (struct_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @def.struct
(type_definition type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @def.enum
(type_definition declarator: (type_identifier) @name) @def.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @def.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (type_identifier) @name)))) @def.type
(enumerator name: (identifier) @name) @def.constant
(field_declaration declarator: (field_identifier) @name) @def.field
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @def.field
(preproc_def name: (identifier) @name) @def.constant
(preproc_function_def name: (identifier) @name value: (_) @body) @def.macro
(translation_unit (declaration declarator: (init_declarator
  declarator: (identifier) @name)) @def.variable)
(translation_unit (declaration declarator: (init_declarator
  declarator: [(array_declarator declarator: (identifier) @name)
               (pointer_declarator declarator: (identifier) @name)])) @def.variable)
(translation_unit (declaration declarator: (identifier) @name) @def.variable)

(preproc_include path: (_) @use.import) @whole
(call_expression function: (identifier) @use.call)
(call_expression function: (field_expression
  argument: (_) @receiver field: (field_identifier) @use.call))
(type_identifier) @use.type
(argument_list [(identifier) @use.value (pointer_expression argument: (identifier) @use.value)])
(initializer_list [(identifier) @use.value (pointer_expression argument: (identifier) @use.value)
  (initializer_pair value: [(identifier) @use.value
    (pointer_expression argument: (identifier) @use.value)])])
(assignment_expression right: (identifier) @use.value)
(init_declarator value: (identifier) @use.value)
(return_statement (identifier) @use.value)
(binary_expression (identifier) @use.value)
(case_statement value: (identifier) @use.value)
(conditional_expression (identifier) @use.value)

(function_definition declarator: [
  (function_declarator parameters: (parameter_list (parameter_declaration type: (_) @type
    declarator: [(identifier) @fact.local (_ . (identifier) @fact.local)
      (pointer_declarator (pointer_declarator (identifier) @fact.local))])))
  (pointer_declarator (function_declarator parameters: (parameter_list (parameter_declaration
    type: (_) @type declarator: [(identifier) @fact.local (_ . (identifier) @fact.local)]))))])
(parameter_declaration declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator (identifier) @fact.local))))
(declaration type: (_) @type declarator: (identifier) @fact.bind)
(declaration type: (_) @type declarator: (pointer_declarator declarator: [(identifier) @fact.bind
  (pointer_declarator declarator: (identifier) @fact.bind)]))
(declaration type: (_) @type declarator: (array_declarator declarator: (identifier) @fact.bind))
(declaration type: (_) @type declarator: (init_declarator
  declarator: [(identifier) @fact.bind (pointer_declarator declarator: (identifier) @fact.bind)
    (array_declarator declarator: (identifier) @fact.bind)] value: (_) @value))
(field_declaration type: (_) @type declarator: [(field_identifier) @fact.field
  (_ . (field_identifier) @fact.field)
  (pointer_declarator (pointer_declarator (field_identifier) @fact.field))])
(field_declaration declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator (field_identifier) @fact.field))))
(type_definition type: [(type_identifier) (struct_specifier !body) (union_specifier !body)]
  @fact.returns declarator: [(type_identifier) (pointer_declarator)])
(function_definition type: [(type_identifier) (struct_specifier !body)] @fact.returns)
