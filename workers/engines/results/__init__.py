"""The result of a query: what is in it (findings with figures), and how it is drawn."""
