(comment) @comment

(section (section_name (text) @name)) @def.key
