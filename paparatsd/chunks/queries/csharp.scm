(comment) @comment

(class_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(struct_declaration name: (identifier) @name) @def.struct
(record_declaration name: (identifier) @name) @def.class
(enum_declaration name: (identifier) @name) @def.enum
(enum_member_declaration name: (identifier) @name) @def.constant
(delegate_declaration name: (identifier) @name) @def.type
(method_declaration name: (identifier) @name) @def.method
(local_function_statement name: (identifier) @name) @def.function
(constructor_declaration name: (identifier) @name) @def.method
(destructor_declaration "~" name: (identifier) @name) @def.method
(operator_declaration operator: _ @name) @def.method
(indexer_declaration "this" @name) @def.property
(property_declaration name: (identifier) @name) @def.property
(event_declaration name: (identifier) @name) @def.property
(event_field_declaration (variable_declaration
  (variable_declarator name: (identifier) @name))) @def.property
((field_declaration (modifier) @_modifier (variable_declaration
  (variable_declarator name: (identifier) @name))) @def.constant (#eq? @_modifier "const"))
(field_declaration (variable_declaration
  (variable_declarator name: (identifier) @name))) @def.field

(using_directive name: (identifier) @alias "=" [(qualified_name) (identifier)] @use.import .)
(using_directive "using" @every [(qualified_name) (identifier)] @use.import .)
(attribute name: (identifier) @use.decorator)
(attribute name: (qualified_name name: (identifier) @use.decorator))
(base_list (identifier) @use.inherit)
(base_list (generic_name (identifier) @use.inherit))
(base_list (qualified_name qualifier: (_) @receiver name: (identifier) @use.inherit))
(object_creation_expression type: (identifier) @use.construct)
(object_creation_expression type: (generic_name (identifier) @use.construct))
(object_creation_expression type: (qualified_name
  qualifier: (_) @receiver name: (identifier) @use.construct))
(invocation_expression function: (identifier) @use.call)
(invocation_expression function: (generic_name (identifier) @use.call))
(invocation_expression function: (member_access_expression
  expression: _ @receiver name: (identifier) @use.call))
(invocation_expression function: (member_access_expression
  expression: (_) @receiver name: (generic_name (identifier) @use.call)))
(invocation_expression function: (conditional_access_expression
  (member_binding_expression name: (identifier) @use.call)))
(variable_declaration type: (identifier) @use.type)
(variable_declaration type: (generic_name (identifier) @use.type))
(parameter type: (identifier) @use.type)
(parameter type: (generic_name (identifier) @use.type))
(parameter type: (nullable_type (identifier) @use.type))
(method_declaration returns: (identifier) @use.type)
(method_declaration returns: (generic_name (identifier) @use.type))
(property_declaration type: (identifier) @use.type)
(property_declaration type: (generic_name (identifier) @use.type))
(type_argument_list (identifier) @use.type)
(cast_expression type: (identifier) @use.type)
(typeof_expression type: (identifier) @use.type)
(array_type type: (identifier) @use.type)
(catch_declaration type: (identifier) @use.type)
(declaration_pattern type: (identifier) @use.type)
(is_pattern_expression pattern: (constant_pattern (identifier) @use.type))
(as_expression right: (identifier) @use.type)
((argument (identifier) @use.value .) (#match? @use.value "^[A-Z_]"))
((assignment_expression right: (identifier) @use.value) (#match? @use.value "^[A-Z_]"))
(member_access_expression expression: "this" @receiver name: (identifier) @use.value)
((member_access_expression expression: (identifier) @receiver name: (identifier) @use.value)
  (#match? @receiver "^[A-Z]"))

(namespace_declaration name: (_) @fact.package)
(file_scoped_namespace_declaration name: (_) @fact.package)
(using_directive "global" . "using" . [(qualified_name) (identifier)] @fact.opens)
(method_declaration
  returns: [(identifier) (generic_name) (nullable_type) (qualified_name) (array_type)] @fact.returns)
(local_function_statement
  type: [(identifier) (generic_name) (nullable_type) (qualified_name) (array_type)] @fact.returns)
((parameter (modifier) @fact.local type: (_) @type) (#eq? @fact.local "this"))
(parameter type: (_)? @type name: (identifier) @fact.local)
(parameter_list type: (_) @type name: (identifier) @fact.local)
(class_declaration (parameter_list (parameter type: (_) @type name: (identifier) @fact.field)))
(record_declaration (parameter_list (parameter type: (_) @type name: (identifier) @fact.field)))
(implicit_parameter) @fact.local
(variable_declaration type: (_) @type
  (variable_declarator name: (identifier) @fact.bind . ("=" . (_) @value)?))
(tuple_pattern name: (identifier) @fact.local)
(property_declaration
  type: [(identifier) (generic_name) (nullable_type) (qualified_name) (array_type)] @type
  name: (identifier) @fact.field)
(foreach_statement type: (_) @type left: (identifier) @fact.local right: (_) @each)
(catch_declaration type: (_) @type name: (identifier) @fact.local)
(declaration_pattern type: (_) @type name: (identifier) @fact.local)
(recursive_pattern type: (_) @type name: (identifier) @fact.local)
(declaration_expression type: (_) @type name: (identifier) @fact.local)
