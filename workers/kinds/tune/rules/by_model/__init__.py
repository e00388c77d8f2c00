"""The model engine of `tune`, the pure part of it: what a model is shown of a case, and what of its answers stands.

A model adds to what the rules say and takes nothing of it away. It names findings, figures and lines by the numbers it was shown;
what it does not cite, or was not shown, is dropped with a word."""
