"""paparatsd: a daemon that keeps a searchable index of git repositories equal to disk."""

__version__ = "0.1.0"
