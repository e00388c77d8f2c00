"""The review of SQL against statements that are right, and the same statements with one defect.

A set is written before the reviewer sees it, and its first figures are in its README."""
