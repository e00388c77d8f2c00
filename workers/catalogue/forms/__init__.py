"""The forms in which knowledge comes: each module reads one and yields nodes, edges and problems."""
