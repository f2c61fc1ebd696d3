(comment) @comment

(message (message_name) @name) @def.struct
(enum (enum_name) @name) @def.enum
(enum_field . (identifier) @name) @def.constant
(service (service_name) @name) @def.interface
(rpc (rpc_name) @name) @def.method
(field (identifier) @name) @def.field
(oneof_field (identifier) @name) @def.field
(map_field (identifier) @name) @def.field
(extend (full_ident) @name) @def.impl

(import path: (string) @use.import)
(message_or_enum_type) @use.type
