(comment) @comment

(stylesheet (rule_set (selectors) @name (block) @body) @def.section)
(keyframes_statement (keyframes_name) @name (_) @body) @def.section
((declaration (property_name) @name) @def.variable (#match? @name "^--"))

(import_statement (string_value) @use.import)
