[(line_comment) (block_comment)] @comment
(attribute_item) @attribute

(function_item name: (identifier) @name) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name) @def.struct
(enum_item name: (type_identifier) @name) @def.enum
(enum_variant name: (identifier) @name) @def.constant
(trait_item name: (type_identifier) @name) @def.trait
(mod_item name: (identifier) @name) @def.module
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.variable
(macro_definition name: (identifier) @name) @def.macro
(field_declaration name: (field_identifier) @name) @def.field
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name)
  (scoped_type_identifier name: (type_identifier) @name)
  (reference_type type: (type_identifier) @name)
  (primitive_type) @name
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))]) @def.impl

(impl_item trait: (type_identifier) @use.inherit)
(impl_item trait: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @use.inherit))
(impl_item trait: (generic_type type: (type_identifier) @use.inherit))
(trait_item bounds: (trait_bounds (type_identifier) @use.inherit))

(use_declaration argument: (identifier) @use.import)
(use_declaration argument: (scoped_identifier path: (_) @target name: (identifier) @use.import))
(use_as_clause path: (scoped_identifier path: (_) @target name: (identifier) @use.import))
(scoped_use_list path: (_) @target list: (use_list [
  (identifier) @use.import
  (scoped_identifier name: (identifier) @use.import)
  (use_as_clause path: (identifier) @use.import)]))
(use_wildcard (scoped_identifier) @use.import)
(extern_crate_declaration name: (identifier) @use.import)

(attribute (identifier) @use.decorator)
(macro_invocation macro: (identifier) @use.call)
(macro_invocation macro: (scoped_identifier path: (_) @receiver name: (identifier) @use.call))
(struct_expression name: (type_identifier) @use.construct)
(struct_expression name: (scoped_type_identifier
  path: (_) @receiver name: (type_identifier) @use.construct))
(call_expression function: (identifier) @use.call)
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @use.call))
(call_expression function: (field_expression
  value: (_) @receiver field: (field_identifier) @use.call))
(call_expression function: (generic_function function: (identifier) @use.call))
(call_expression function: (generic_function function: (scoped_identifier
  path: (_) @receiver name: (identifier) @use.call)))
(call_expression function: (generic_function function: (field_expression
  value: (_) @receiver field: (field_identifier) @use.call)))
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @use.type)
(type_identifier) @use.type
