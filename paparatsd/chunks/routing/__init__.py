"""Routes that a server answers and requests that clients make, read from the text of a file."""
