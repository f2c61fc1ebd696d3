(comment) @comment

((rule (targets (word) @name)) @def.function (#not-match? @name "^[.][A-Z_]+$"))
(makefile (variable_assignment name: (word) @name) @def.variable)
(define_directive name: (word) @name) @def.macro

(include_directive filenames: (list (word) @use.import))
(prerequisites (word) @use.reference)
(variable_reference (word) @use.reference)
