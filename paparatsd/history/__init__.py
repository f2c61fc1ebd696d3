"""Who changed a chunk, when and why: facts of git read once, and replayed for what is there now."""
