"""How good the answers of `analyze` are: scripted dialogues over prepared or simulated scenarios."""
