"""`bullpen eval network` and `bullpen eval telecom`: root causes and gains on simulated networks, and causes of drive tests."""
