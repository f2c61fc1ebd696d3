(document (object (pair key: (string) @name) @def.key))
