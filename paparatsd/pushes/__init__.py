"""Projects whose files programs send."""
