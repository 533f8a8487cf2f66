"""What key_averages() returns."""

from typing import Callable, List, Optional


class KeyAverages:
    """Tables that `report`, a method of a profile, makes."""

    def __init__(self, report: Callable[..., str], grouping: List[str]) -> None:
        self._report = report
        self._grouping = grouping

    def table(self, sort_by: Optional[str] = None, row_limit: int = 100) -> str:
        """torch.profiler's table as text; a row_limit below 0 prints all."""
        sort = [] if sort_by is None else ["--sort=" + sort_by]
        return self._report("summary", "--style=torch", "--ops",
                            "--limit=%d" % max(row_limit, 0),
                            *self._grouping, *sort)
