"""The symbol graph: who uses what, told from the rows of symbols, uses and facts when asked."""
