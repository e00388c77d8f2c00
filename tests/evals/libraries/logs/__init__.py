"""`bullpen eval logs`: how well queries of logs are checked and run."""
