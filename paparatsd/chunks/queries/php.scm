(comment) @comment
(attribute_list) @attribute

(class_declaration name: (name) @name) @def.class
(interface_declaration name: (name) @name) @def.interface
(trait_declaration name: (name) @name) @def.trait
(enum_declaration name: (name) @name) @def.enum
(enum_case name: (name) @name) @def.constant
(method_declaration name: (name) @name) @def.method
(function_definition name: (name) @name) @def.function
(const_declaration (const_element (name) @name)) @def.constant
(property_declaration (property_element name: (variable_name (name) @name))) @def.property
(property_promotion_parameter name: (variable_name (name) @name)) @def.property
((function_call_expression function: (name) @_define
  arguments: (arguments . (argument (string) @name))) @def.constant (#eq? @_define "define"))

(namespace_use_declaration (namespace_name) @target
  (namespace_use_group (namespace_use_clause [(qualified_name) (name)] @use.import . "as" alias: (name) @alias)))
(namespace_use_declaration (namespace_name) @target
  (namespace_use_group (namespace_use_clause !alias [(qualified_name) (name)] @use.import)))
(namespace_use_clause [(qualified_name) (name)] @use.import . "as" alias: (name) @alias)
(namespace_use_clause . [(qualified_name) (name)] @use.import)
(attribute (name) @use.decorator)
(attribute (qualified_name (name) @use.decorator) @receiver)
(base_clause (name) @use.inherit)
(base_clause (qualified_name (name) @use.inherit) @receiver)
(class_interface_clause (name) @use.inherit)
(class_interface_clause (qualified_name (name) @use.inherit) @receiver)
(declaration_list (use_declaration (name) @use.inherit))
(declaration_list (use_declaration (qualified_name (name) @use.inherit) @receiver))
(object_creation_expression (name) @use.construct)
(object_creation_expression (qualified_name (name) @use.construct) @receiver)
(function_call_expression function: (name) @use.call)
(function_call_expression function: (qualified_name (name) @use.call) @receiver)
(member_call_expression object: (_) @receiver name: (name) @use.call)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @use.call)
(scoped_call_expression scope: (_) @receiver name: (name) @use.call)
(class_constant_access_expression . (name) @use.type)
(named_type (name) @use.type)
(named_type (qualified_name (name) @use.type) @receiver)
(class_constant_access_expression . (qualified_name (name) @use.type) @receiver)
(binary_expression operator: "instanceof" right: (name) @use.type)
(binary_expression operator: "instanceof" right: (qualified_name (name) @use.type) @receiver)
((class_constant_access_expression (_) @receiver . (name) @use.value)
  (#not-eq? @use.value "class"))
((array_creation_expression . (array_element_initializer (variable_name) @receiver)
  . (array_element_initializer (string (string_content) @use.value)) .)
  (#eq? @receiver "$this"))
((array_creation_expression
  . (array_element_initializer (class_constant_access_expression . (_) @receiver . (name) @_class))
  . (array_element_initializer (string (string_content) @use.value)) .)
  (#eq? @_class "class"))

(namespace_definition name: (namespace_name) @fact.package)
(method_declaration return_type: [(named_type) (optional_type) (union_type)] @fact.returns)
(function_definition return_type: [(named_type) (optional_type) (union_type)] @fact.returns)
(method_declaration !return_type body: (compound_statement (return_statement
  [(object_creation_expression) (member_call_expression) (scoped_call_expression)
   (member_access_expression) (variable_name)] @fact.yields)))
(function_definition !return_type body: (compound_statement (return_statement
  [(object_creation_expression) (member_call_expression) (scoped_call_expression)
   (function_call_expression) (variable_name)] @fact.yields)))
(simple_parameter type: (_) @type name: (variable_name) @fact.local)
(variadic_parameter type: (_) @type name: (variable_name) @fact.local)
(property_promotion_parameter type: (_)? @type name: (variable_name) @fact.local)
(property_promotion_parameter type: (_)? @type name: (variable_name (name) @fact.property))
(property_declaration type: (_) @type (property_element name: (variable_name (name) @fact.field)))
(assignment_expression left: (variable_name) @fact.local
  right: [(object_creation_expression) (member_call_expression) (scoped_call_expression)
          (function_call_expression) (member_access_expression) (variable_name)
          (nullsafe_member_call_expression) (clone_expression)] @value)
((assignment_expression
  left: (member_access_expression object: (variable_name) @_this name: (name)) @fact.bind
  right: [(object_creation_expression) (member_call_expression) (scoped_call_expression)
          (function_call_expression) (member_access_expression) (variable_name)] @value)
  (#eq? @_this "$this"))
(foreach_statement (_) @each . "as" . (variable_name) @fact.local)
(foreach_statement (_) @each . "as" . (pair (_) (variable_name) @fact.local))
(catch_clause type: (type_list) @type name: (variable_name) @fact.local)
