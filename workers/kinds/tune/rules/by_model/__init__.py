"""The pure part of the model engine of `tune`: what a model is shown of a case, and which parts of its answers are used.

A model adds to the result of the rules and removes nothing. It cites findings, figures and lines by the numbers it was shown. Claims
without a citation, or about something it was not shown, are dropped, and a note says so."""
