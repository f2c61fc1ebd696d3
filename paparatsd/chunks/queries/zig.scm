[(line_comment) (doc_comment) (container_doc_comment)] @comment

(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr .
  (ContainerDecl (ContainerDeclType . "enum")))))) @def.enum
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr .
  (ContainerDecl))))) @def.struct
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name (ErrorUnionExpr (SuffixExpr .
  (ErrorSetDecl))))) @def.type
(Decl (FnProto function: (IDENTIFIER) @name) (Block)? @body) @def.function
(ContainerField field_member: (IDENTIFIER) @name) @def.field
(TestDecl (STRINGLITERALSINGLE) @name (Block) @body) @def.test

((VarDecl variable_type_function: (IDENTIFIER) @use.import (ErrorUnionExpr (SuffixExpr .
  (BUILTINIDENTIFIER) @_import (FnCallArguments (ErrorUnionExpr (SuffixExpr
    (STRINGLITERALSINGLE) @target)))))) @whole (#eq? @_import "@import"))
((Decl (VarDecl "const" variable_type_function: (IDENTIFIER) @name)) @def.constant)
((Decl (VarDecl variable_type_function: (IDENTIFIER) @name)) @def.variable)

(SuffixExpr variable_type_function: (IDENTIFIER) @receiver . (FieldOrFnCall
  function_call: (IDENTIFIER) @use.call))
((FieldOrFnCall field_access: (IDENTIFIER) @receiver) . (FieldOrFnCall
  function_call: (IDENTIFIER) @use.call))
(FieldOrFnCall function_call: (IDENTIFIER) @use.call)
(SuffixExpr variable_type_function: (IDENTIFIER) @use.call . (FnCallArguments))
((ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @use.construct .)) . (InitList))
(ParamType (ErrorUnionExpr (SuffixExpr variable_type_function: (IDENTIFIER) @use.type)))
(FnProto (ErrorUnionExpr (SuffixExpr variable_type_function: (IDENTIFIER) @use.type)))

(FnCallArguments (ErrorUnionExpr (SuffixExpr . variable_type_function: (IDENTIFIER) @use.value .)))

(ParamDecl parameter: (IDENTIFIER) @fact.local (ParamType (ErrorUnionExpr) @type))
(VarDecl variable_type_function: (IDENTIFIER) @fact.bind (ErrorUnionExpr) @type
  . [(ErrorUnionExpr) (InitList)])
(VarDecl variable_type_function: (IDENTIFIER) @fact.bind . [(ErrorUnionExpr) (UnaryExpr)] @value .)
(VarDecl variable_type_function: (IDENTIFIER) @fact.bind)
(ContainerField field_member: (IDENTIFIER) @fact.field (ErrorUnionExpr) @type)
(FnProto function: (IDENTIFIER) (ErrorUnionExpr) @fact.returns)
[(PtrPayload variable: (IDENTIFIER) @fact.local) (PtrListPayload variable: (IDENTIFIER) @fact.local)]
