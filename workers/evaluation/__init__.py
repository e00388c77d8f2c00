"""How good the answers are: cases with known answers, simulated users, baselines, figures with their spread."""
