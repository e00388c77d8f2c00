"""`tune`: a slow big-data job, its script and logs in, ranked fixes out."""
