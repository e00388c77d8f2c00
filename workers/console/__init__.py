"""The console: what a person looks at in a browser."""
