"""Every request that a client can make, as a function that returns a `Call`: one module for each group of addresses."""
