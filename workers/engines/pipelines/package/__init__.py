"""The package of a job: what a data engineer would commit, as files."""

from workers.engines.pipelines.package.package import package

__all__ = ("package",)
