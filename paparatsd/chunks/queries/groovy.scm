[(line_comment) (block_comment)] @comment

((command . (unit . (identifier) @_class) . (unit . (identifier) @name .)) @def.class
  (#match? @_class "^(class|interface|trait|enum)$"))
((command . (unit . (identifier) @_def .) (block . (unit . (func . (identifier) @name)))) @def.function
  (#match? @_def "^(def|void|static|public|private|protected|[A-Za-z]*[A-Z][A-Za-z]*|int|long|double|boolean)$"))
((command . (unit . (identifier) @_task) (block . (unit . (identifier) @name .))) @def.resource
  (#eq? @_task "task"))

((command . (unit . (identifier) @_import) . (unit) @use.import) (#eq? @_import "import"))
(func . (identifier) @use.call)
