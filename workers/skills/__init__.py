"""Reads skill packs: folders of Markdown that hold instructions and experience for the fleet."""

from workers.skills.folders import skill_folders
from workers.skills.packs import PackProblem, SkillPack, read_packs

__all__ = ["PackProblem", "SkillPack", "read_packs", "skill_folders"]
