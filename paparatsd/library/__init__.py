"""The public interface of the package: an index of one folder inside a program."""
