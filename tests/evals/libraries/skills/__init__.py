"""How well skills are loaded and chosen: `bullpen eval skills`."""
