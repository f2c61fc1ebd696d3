((jsx_opening_element name: (identifier) @use.construct) (#match? @use.construct "^[A-Z]"))
((jsx_self_closing_element name: (identifier) @use.construct) (#match? @use.construct "^[A-Z]"))
(jsx_self_closing_element name: (member_expression
  object: (_) @receiver property: (property_identifier) @use.construct))
(jsx_opening_element name: (member_expression
  object: (_) @receiver property: (property_identifier) @use.construct))

(jsx_expression [(identifier) @use.value
  (member_expression object: (_) @receiver property: (property_identifier) @use.value)])
