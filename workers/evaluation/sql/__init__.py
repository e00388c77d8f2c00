"""`bullpen eval sql`: how well statements are understood, reviewed and repaired. A file for each measurement."""
