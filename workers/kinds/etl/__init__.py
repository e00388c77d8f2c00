"""`etl`: from a requirement to reviewed SQL that has run."""
