"""Mobile networks: a simulated network that computes its indicators, root causes by rules, changes and their effect; drive tests."""
