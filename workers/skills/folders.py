"""The folders that hold skill packs."""

from pathlib import Path

import workers
from workers.settings import SHIPPED_SKILLS, Settings


def skill_folders(settings: Settings) -> tuple[Path, ...]:
    """The folders in the order of the setting, with `shipped` replaced by the folder of this release's packs."""
    return tuple(shipped_folder() if name == SHIPPED_SKILLS else Path(name).expanduser() for name in settings.skills)


def shipped_folder() -> Path:
    """The folder of this release's packs: inside an installed package, or at the top of a source checkout."""
    package = Path(workers.__file__ or "").parent
    installed = package / "skill_packs"
    return installed if installed.is_dir() else package.parent / "skills"
