"""Domain rules, one package a domain: pure functions over contracts, no I/O."""
