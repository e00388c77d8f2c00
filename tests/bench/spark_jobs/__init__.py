"""Jobs for local Spark with a known cause, run, judged and mended (docs/evaluation.md)."""
