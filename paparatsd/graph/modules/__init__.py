"""How the imports of each language find the files of a project."""
