"""The tools of network optimisation, over the engine in `workers/engines/network`."""
