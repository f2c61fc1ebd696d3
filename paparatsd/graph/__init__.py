"""The symbol graph: who uses whom, asked of the symbol rows of a project's view."""
