[(comment) (js_comment)] @comment

(mixin_statement name: (identifier) @name (block) @body) @def.macro
(function_statement name: (identifier) @name (block) @body) @def.function
(stylesheet (rule_set (selectors) @name (block) @body) @def.section)
(keyframes_statement (keyframes_name) @name (_) @body) @def.section
(stylesheet (declaration (property_name) @name) @def.variable)

(import_statement (string_value) @use.import)
(use_statement (string_value) @use.import)
(include_statement (identifier) @use.call)
