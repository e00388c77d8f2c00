"""`bullpen eval diagnose`: how good diagnoses are."""
