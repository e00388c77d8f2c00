"""How `ask` works without a model: cues in the user's words, routes, and what a follow-up takes from the conversation."""
