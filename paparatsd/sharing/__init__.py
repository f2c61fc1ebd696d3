"""What a daemon does in a vector store that it shares: publish, follow others, move in and out."""
