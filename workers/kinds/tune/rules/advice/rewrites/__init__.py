"""Changes to the user's own script: by positions in its text, so that everything around them stays as it was written. No script is run."""
