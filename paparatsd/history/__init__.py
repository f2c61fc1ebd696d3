"""History of a repository: what each commit touched, and what came of every range of lines."""
