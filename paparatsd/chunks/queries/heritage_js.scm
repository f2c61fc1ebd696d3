(class_heritage (identifier) @use.inherit)
(class_heritage (member_expression object: (_) @receiver
  property: (property_identifier) @use.inherit))

(formal_parameters (identifier) @fact.local)
(formal_parameters (assignment_pattern left: (identifier) @fact.local right: (_) @value))
(variable_declarator name: (identifier) @fact.local value: (_)? @value)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @fact.local)
  value: (_) @owner)
(field_definition property: (_) @fact.field value: (_)? @value)
