"""`ask`: a question about data, answered as deep as it was meant: tables, SQL, a result, log lines, a passage, or an honest no."""
