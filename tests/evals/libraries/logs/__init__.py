"""`bullpen eval logs`: how well queries of logs are checked, run, and made of words."""
