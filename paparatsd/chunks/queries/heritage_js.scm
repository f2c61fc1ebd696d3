(class_heritage (identifier) @use.inherit)
(class_heritage (member_expression object: (_) @receiver
  property: (property_identifier) @use.inherit))
