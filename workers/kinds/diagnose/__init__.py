"""`diagnose`: a database incident in, a dialogue, and a root cause out."""
