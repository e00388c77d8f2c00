"""Python and Scala scripts: the operations in them, with their lines."""
