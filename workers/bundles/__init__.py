"""The files that jobs are about: brought here, kept by content hash, told apart, read once."""
