; inherits: typescript_parts, jsx_parts, ecma
