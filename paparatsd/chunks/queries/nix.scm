(comment) @comment

(binding attrpath: (attrpath) @name expression: (function_expression)) @def.function
(binding attrpath: (attrpath) @name) @def.variable

(apply_expression function: (variable_expression name: (identifier) @_import)
  argument: [(path_expression) (spath_expression)] @use.import (#eq? @_import "import"))
(apply_expression function: (variable_expression name: (identifier) @use.call))
(apply_expression function: (select_expression
  expression: (_) @receiver attrpath: (attrpath attr: (identifier) @use.call .)))
