(comment) @comment

(from_instruction as: (image_alias) @name) @def.resource
(arg_instruction name: (_) @name) @def.variable
(env_instruction (env_pair name: (_) @name)) @def.variable

(from_instruction (image_spec name: (image_name) @use.import))
