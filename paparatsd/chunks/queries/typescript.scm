; inherits: typescript_parts, ecma
