"""How well questions are read without a model: `bullpen eval questions`."""
