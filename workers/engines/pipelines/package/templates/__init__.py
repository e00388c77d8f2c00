"""Files that are the same in every package."""
