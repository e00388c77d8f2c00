"""The bench of the what-if replay: jobs run on local Spark before and after their advised fix."""
