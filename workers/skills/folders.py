"""Where skill packs lie."""

from pathlib import Path

import workers
from workers.settings import SHIPPED_SKILLS, Settings


def skill_folders(settings: Settings) -> tuple[Path, ...]:
    """Where packs lie, the shipped ones in the place that the setting gives them."""
    return tuple(shipped_folder() if name == SHIPPED_SKILLS else Path(name).expanduser() for name in settings.skills)


def shipped_folder() -> Path:
    """The packs of this release: an installed one has its own copy, a checkout has them at its top."""
    package = Path(workers.__file__ or "").parent
    installed = package / "skill_packs"
    return installed if installed.is_dir() else package.parent / "skills"
