(comment) @comment
((unary_operator operand: (call target: (identifier) @_name)) @attribute
  (#any-of? @_name "spec" "impl" "deprecated" "since" "tag"))
((unary_operator operand: (call target: (identifier) @_name (arguments (string)))) @comment
  (#any-of? @_name "doc" "typedoc"))
((unary_operator operand: (call target: (identifier) @_name (arguments (sigil)))) @comment
  (#any-of? @_name "doc" "typedoc"))
((unary_operator operand: (call target: (identifier) @_name
  (arguments [(string) (sigil)] @docstring)))
  (#eq? @_name "moduledoc"))

((call target: (identifier) @_define (arguments . (alias) @name) (do_block) @body) @def.module
  (#eq? @_define "defmodule"))
((call target: (identifier) @_define (arguments . (alias) @name) (do_block) @body)
  @def.interface (#eq? @_define "defprotocol"))
((call target: (identifier) @_define (arguments . (alias) @name) (do_block) @body) @def.impl
  (#eq? @_define "defimpl"))
((call target: (identifier) @_define (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))
    (binary_operator left: (identifier) @name)]) (do_block)? @body) @def.function
  (#any-of? @_define "def" "defp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @_define (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (call target: (identifier) @name))]) (do_block)? @body) @def.macro
  (#any-of? @_define "defmacro" "defmacrop" "defguard" "defguardp"))
((call target: (identifier) @_define (arguments . (string) @name) (do_block) @body) @def.test
  (#any-of? @_define "test" "describe"))
((unary_operator operand: (call target: (identifier) @_type (arguments
  (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))) @def.type
  (#any-of? @_type "type" "typep" "opaque"))
((unary_operator operand: (call target: (identifier) @_type (arguments
  (binary_operator left: (call target: (identifier) @name))))) @def.function
  (#any-of? @_type "callback" "macrocallback"))
((unary_operator operand: (call target: (identifier) @name (arguments
  [(integer) (float) (string) (atom) (list) (map) (tuple) (sigil) (boolean)]))) @def.constant
  (#not-match? @name "^(moduledoc|doc|typedoc|spec|impl|tag|moduletag|deprecated|since|behaviour|type|opaque|callback|derive|compile|dialyzer|before_compile)$"))

((call target: (identifier) @_import (arguments . (alias) @use.import
  (keywords (pair key: (keyword) @_as value: (alias) @alias))))
  (#eq? @_import "alias") (#match? @_as "^as:"))
((call target: (identifier) @_import @every (arguments . (alias) @use.import)) (#eq? @_import "import"))
((call target: (identifier) @_import (arguments . (alias) @use.import))
  (#any-of? @_import "alias" "import" "require"))
((call target: (identifier) @_import (arguments . (dot left: (alias) @target
  right: (tuple (alias) @use.import)))) (#any-of? @_import "alias" "import" "require"))
((call target: (identifier) @_use (arguments . (alias) @use.inherit)) (#eq? @_use "use"))
((unary_operator operand: (call target: (identifier) @_behaviour
  (arguments (alias) @use.inherit))) (#eq? @_behaviour "behaviour"))
(struct (alias) @use.construct)
(call target: (dot left: (_) @receiver right: (identifier) @use.call))
((call target: (identifier) @use.call) (#not-match? @use.call "^(def|defp|defmodule|defmacro|defmacrop|defprotocol|defimpl|defstruct|defguard|defguardp|defdelegate|defexception|alias|import|require|use|if|unless|case|cond|with|for|quote|unquote|fn|doc|moduledoc|spec|type|typep|opaque|callback|behaviour|impl|typedoc|test|describe|raise|try|receive)$"))
(unary_operator operator: "&" operand: (binary_operator left: (identifier) @use.value operator: "/"))

(binary_operator left: (identifier) @fact.local operator: "=" right: (call) @value)
(binary_operator left: (map (struct (alias) @type)) operator: "=" right: (identifier) @fact.local)
