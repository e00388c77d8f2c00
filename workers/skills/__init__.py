"""Reads skill packs: folders of Markdown that tell the fleet how to work, and what it has learnt."""

from workers.skills.library import Library, keep_indexed, read_library, skill_folders
from workers.skills.packs import PackProblem, SkillPack

__all__ = ["Library", "PackProblem", "SkillPack", "keep_indexed", "read_library", "skill_folders"]
