"""How good the answers of `ask` are: scripted dialogues over databases with known results."""
