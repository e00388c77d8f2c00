"""`bullpen eval sql`: how well SQL is understood, on cases with known answers. Each file measures one thing; `MEASUREMENTS` lists them."""
