"""`diagnose`: an incident in, a dialogue, and a root cause out."""
