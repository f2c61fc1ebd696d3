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

(use_declaration argument: (identifier) @use.import @whole)
(use_declaration argument: (scoped_identifier name: (identifier) @use.import))
(use_as_clause path: (scoped_identifier name: (identifier) @use.import)
  alias: (identifier) @alias)
(use_declaration argument: (use_as_clause path: (identifier) @use.import
  alias: (identifier) @alias) @whole)
(scoped_use_list list: (use_list [
  (identifier) @use.import
  (self) @use.import
  (scoped_identifier name: (identifier) @use.import)
  (use_as_clause path: [(identifier) (self)] @use.import alias: (identifier) @alias)]))
(use_wildcard (scoped_identifier) @use.import)
(use_wildcard "*" @use.import)
(extern_crate_declaration name: (identifier) @use.import
  alias: (identifier)? @alias) @whole

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
(token_tree (identifier) @use.call . (token_tree . "("))

(arguments [(identifier) @use.value
  (scoped_identifier path: (_) @receiver name: (identifier) @use.value)
  (reference_expression value: (identifier) @use.value)])
(field_initializer value: [(identifier) @use.value
  (scoped_identifier path: (_) @receiver name: (identifier) @use.value)])
(array_expression [(identifier) @use.value
  (scoped_identifier path: (_) @receiver name: (identifier) @use.value)])
(tuple_expression [(identifier) @use.value
  (scoped_identifier path: (_) @receiver name: (identifier) @use.value)])
(let_declaration value: [(identifier) @use.value
  (scoped_identifier path: (_) @receiver name: (identifier) @use.value)])
(return_expression [(identifier) @use.value
  (scoped_identifier path: (_) @receiver name: (identifier) @use.value)])
(binary_expression [(identifier) @use.value
  (scoped_identifier path: (_) @receiver name: (identifier) @use.value)])
(match_pattern (scoped_identifier path: (_) @receiver name: (identifier) @use.value))
(match_arm value: (scoped_identifier path: (_) @receiver name: (identifier) @use.value))

(parameter pattern: (identifier) @fact.local type: (_) @type)
(parameters (parameter pattern: (_ (identifier) @fact.local)))
(closure_parameters [(identifier) @fact.local (_ (identifier) @fact.local)])
(let_declaration pattern: (identifier) @fact.local type: (_)? @type value: (_)? @value)
(for_expression pattern: (identifier) @fact.local value: (_) @each)
((let_condition pattern: (tuple_struct_pattern type: (identifier) @_kind
  . (identifier) @fact.local .) value: (_) @value) (#any-of? @_kind "Some" "Ok"))
((match_expression value: (_) @value body: (match_block (match_arm pattern: (match_pattern
  (tuple_struct_pattern type: (identifier) @_kind . (identifier) @fact.local .)))))
  (#any-of? @_kind "Some" "Ok"))
(tuple_struct_pattern type: (_) (identifier) @fact.local)
(tuple_pattern (identifier) @fact.local)
(field_pattern [name: (shorthand_field_identifier) @fact.local
  pattern: (identifier) @fact.local])
(captured_pattern . (identifier) @fact.local)
[(ref_pattern (identifier) @fact.local) (mut_pattern (identifier) @fact.local)]
(field_declaration name: (field_identifier) @fact.field type: (_) @type)
[(const_item name: (identifier) @fact.bind type: (_) @type)
 (static_item name: (identifier) @fact.bind type: (_) @type)]
(type_item type: (_) @fact.returns)
[(function_item return_type: (_) @fact.returns)
 (function_signature_item return_type: (_) @fact.returns)]
(use_declaration (visibility_modifier) argument: [
  (scoped_identifier name: (identifier) @fact.export)
  (use_as_clause path: (scoped_identifier name: (identifier) @value)
    alias: (identifier) @fact.export)])
(use_declaration (visibility_modifier) argument: (use_wildcard "*" @fact.export @value))
(use_declaration (visibility_modifier) argument: (scoped_use_list list: (use_list [
  (identifier) @fact.export
  (scoped_identifier name: (identifier) @fact.export)
  (use_as_clause path: (identifier) @value alias: (identifier) @fact.export)
  (scoped_use_list list: (use_list (identifier) @fact.export))])))
(use_declaration (visibility_modifier) argument: (scoped_use_list list: (use_list
  (use_wildcard "*" @fact.export @value))))
