"""`bullpen eval catalogue`: whether the tables that a question needs are found."""
