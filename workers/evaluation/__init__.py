"""Evaluations of answer quality: cases with known answers, simulated users, baselines, and figures with their spread."""
