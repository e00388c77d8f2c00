"""Who calls, and what they may: keys, logins of browsers, and the dependency that every route but health has."""
