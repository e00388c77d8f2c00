"""Words, vectors and how two texts are compared; knows no domain."""
