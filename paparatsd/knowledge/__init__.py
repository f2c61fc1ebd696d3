"""Notes: terms and cards that people and agents wrote down, kept, compared and found again."""
