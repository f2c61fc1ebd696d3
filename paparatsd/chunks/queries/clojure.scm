(comment) @comment

((list_lit . (sym_lit) @_define . (sym_lit) @name) @def.function
  (#match? @_define "^(defn-?|defmulti|defmethod|deftest|defn>|>defn)$"))
((list_lit . (sym_lit) @_define . (sym_lit) @name) @def.macro (#eq? @_define "defmacro"))
((list_lit . (sym_lit) @_define . (sym_lit) @name) @def.struct
  (#match? @_define "^(defrecord|deftype)$"))
((list_lit . (sym_lit) @_define . (sym_lit) @name) @def.interface
  (#match? @_define "^(defprotocol|definterface)$"))
((list_lit . (sym_lit) @_define . (sym_lit) @name) @def.variable
  (#match? @_define "^(def|defonce|s/def)$"))
((list_lit . (sym_lit) @_define . (sym_lit) . (str_lit) @docstring)
  (#match? @_define "^(defn-?|defmacro|defmulti|defprotocol)$"))

((list_lit . (sym_lit) @_ns (list_lit . (kwd_lit) (vec_lit . (sym_lit) @use.import)))
  (#eq? @_ns "ns"))
((list_lit . (sym_lit) @_ns (list_lit . (kwd_lit) (sym_lit) @use.import)) (#eq? @_ns "ns"))
((list_lit . (sym_lit namespace: (sym_ns) @receiver name: (sym_name) @use.call)))
((list_lit . (sym_lit !namespace name: (sym_name) @use.call))
  (#not-match? @use.call "^(defn-?|def|defmacro|defrecord|deftype|defprotocol|ns|let|if|when|do|fn|cond|case|loop|recur|for|doseq|and|or|not)$"))
