"""Git history as facts, and what came of each chunk."""
