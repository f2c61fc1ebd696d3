[(comment) (marginalia)] @comment

(create_table (object_reference name: (identifier) @name)) @def.struct
(create_view (object_reference name: (identifier) @name)) @def.struct
(create_materialized_view (object_reference name: (identifier) @name)) @def.struct
(create_function (object_reference name: (identifier) @name)) @def.function
(create_type (object_reference name: (identifier) @name)) @def.type
(create_index column: (identifier) @name) @def.property
(create_schema (identifier) @name) @def.module
(create_sequence (object_reference name: (identifier) @name)) @def.variable
(create_trigger . (keyword_create) . (keyword_trigger) . (object_reference
  name: (identifier) @name)) @def.function
(column_definition name: (identifier) @name) @def.field

(invocation (object_reference name: (identifier) @use.call))
(relation (object_reference name: (identifier) @use.reference))
(column_definition (object_reference name: (identifier) @use.reference))
(create_index (object_reference name: (identifier) @use.reference))
(insert (object_reference name: (identifier) @use.reference))
(alter_table (object_reference name: (identifier) @use.reference))
(create_trigger (object_reference name: (identifier) @use.reference))
