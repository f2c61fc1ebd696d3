(comment) @comment

(table . [(bare_key) (dotted_key) (quoted_key)] @name) @def.key
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @def.key
(document (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @def.key)
