"""Logs of further applications in one bundle: a job is about one run, and has to say which it was and which it was not."""

from contracts.bundles import ArtefactRead, Catalogue
from workers.bundles.shipped import EVENT_LOG
from workers.engines.language import Lang
from workers.kinds.tune.rules.advice.telling import shown

SHOWN = 5

SAID: dict[Lang, str] = {
    "en": "Only one application was looked at, that of {read}. The bundle holds other logs: {others}. Submit each of them as a job of "
    "its own.",
    "zh": "只分析了 {read} 这一个应用的运行。文件包中还有其他事件日志：{others}。请把它们分别作为单独的作业提交。",
}


def other_runs(catalogue: Catalogue, read: tuple[ArtefactRead, ...], language: Lang) -> tuple[str, ...]:
    """What to say of event logs that are not the one judged; nothing where there is but one."""
    logs = [one.name for one in catalogue.artefacts if one.kind == EVENT_LOG.name]
    judged = next((one.name for one in read if one.kind == EVENT_LOG.name and one.tells), None)
    others = [name for name in logs if name != judged]
    if judged is None or not others:
        return ()
    listed = ", ".join(shown(name) for name in others[:SHOWN]) + (", ..." if len(others) > SHOWN else "")
    return (SAID[language].format(read=shown(judged), others=listed),)
