"""Where the texts of the libraries are: `<language>/LC_MESSAGES/*.po`, a file for each library."""

from pathlib import Path

LOCALE = Path(__file__).with_name("locale")
