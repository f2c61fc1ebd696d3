"""Facts from the files that describe packages and projects. Pure, and never raise."""
