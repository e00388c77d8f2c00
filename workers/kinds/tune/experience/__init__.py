"""The experience of the skill packs: how it is indexed, found, and moved by feedback."""
