"""What the tools of `ask` do: each module is one tool, over the libraries and the floor."""
