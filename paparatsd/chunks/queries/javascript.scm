; inherits: heritage_js, jsx_parts, ecma

(field_definition property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.method
(class_body (field_definition property: (_) @name) @def.field)
