"""Which embedding model answers in which role, which is to, and the change between them."""
