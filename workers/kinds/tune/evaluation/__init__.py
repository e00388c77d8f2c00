"""`bullpen eval tune`: how good advice is."""
