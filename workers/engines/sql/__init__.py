"""SQL as a subject of its own. Everything here is pure: it reads statements and what is known of tables, and opens no source."""
