(comment) @comment

(contract_declaration name: (identifier) @name) @def.class
(interface_declaration name: (identifier) @name) @def.interface
(library_declaration name: (identifier) @name) @def.class
(struct_declaration name: (identifier) @name) @def.struct
(struct_member name: (identifier) @name) @def.field
(enum_declaration name: (identifier) @name) @def.enum
(enum_value) @name @def.constant
(event_definition name: (identifier) @name) @def.function
(error_declaration name: (identifier) @name) @def.function
(modifier_definition name: (identifier) @name) @def.function
(constructor_definition "constructor" @name) @def.method
(function_definition name: (identifier) @name) @def.function
(state_variable_declaration name: (identifier) @name) @def.field

(import_directive import_name: (identifier) @use.import source: (string) @target)
(import_directive !import_name source: (string) @use.import)
(inheritance_specifier ancestor: (user_defined_type (identifier) @use.inherit))
(emit_statement name: (expression (identifier) @use.call))
(call_expression function: (expression (identifier) @use.call))
(call_expression function: (expression (member_expression
  object: (_) @receiver property: (identifier) @use.call)))
(user_defined_type (identifier) @use.type)
