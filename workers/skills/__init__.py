"""Skills: folders of Markdown that hold instructions and experience for the fleet."""

from pathlib import Path

from workers.saying.catalogues import add_catalogue
from workers.skills.folders import skill_folders
from workers.skills.loading import kind_remarks, load_skills, read_reference
from workers.skills.skill import Library, Reference, Skill, SkillProblem, Unusable

add_catalogue(Path(__file__).with_name("locale"))

__all__ = ["Library", "Reference", "Skill", "SkillProblem", "Unusable", "kind_remarks", "load_skills", "read_reference", "skill_folders"]
