"""How well questions on Bullpen's own use are answered from its documents: see `__main__.py`."""
