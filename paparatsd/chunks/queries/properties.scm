(comment) @comment

(file (property (key) @name) @def.key)
