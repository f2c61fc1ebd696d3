(Comment) @comment

(document root: (element (content (element [(STag (Name) @name) (EmptyElemTag (Name) @name)]) @def.key)))
