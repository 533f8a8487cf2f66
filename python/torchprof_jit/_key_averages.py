"""What key_averages() returns."""

import json
from collections.abc import Sequence
from typing import Any, Callable, List, NamedTuple, Optional


class KeyAverage(NamedTuple):
    """A row, by torch.profiler's names. Times are in microseconds; None is what was not
    recorded."""

    key: str
    count: int
    self_cpu_time_total: float
    cpu_time_total: float
    cpu_time: Optional[float]  # of a call
    self_cpu_memory_usage: Optional[int]
    cpu_memory_usage: Optional[int]
    self_device_time_total: Optional[float]
    device_time_total: Optional[float]
    self_device_memory_usage: Optional[int]
    device_memory_usage: Optional[int]
    flops: Optional[float]
    input_shapes: Optional[List[Any]]
    stack: Optional[List[str]]


def _microseconds(ns):
    return None if ns is None else ns / 1000


def _shapes(text):
    """What the table shows: a list, with "?" for sizes that a tensor has not, or what
    stands for several."""
    if not text or not text.startswith("["):
        return None
    return json.loads(text.replace("[?]", "null"))


def _average(row):
    source = row.get("source_location")
    return KeyAverage(
        key=row["name"],
        count=row["calls"],
        self_cpu_time_total=(row["self_cpu_ns"] or 0) / 1000,
        cpu_time_total=(row["cpu_total_ns"] or 0) / 1000,
        cpu_time=_microseconds(row["cpu_time_avg_ns"]),
        self_cpu_memory_usage=row.get("self_cpu_memory_bytes"),
        cpu_memory_usage=row.get("cpu_memory_bytes"),
        self_device_time_total=_microseconds(row.get("self_device_ns")),
        device_time_total=_microseconds(row.get("device_total_ns")),
        self_device_memory_usage=row.get("self_device_memory_bytes"),
        device_memory_usage=row.get("device_memory_bytes"),
        flops=row.get("total_flops"),
        input_shapes=_shapes(row.get("input_shapes")),
        stack=source.split(" < ") if source else None,
    )


class KeyAverages(Sequence):
    """Tables that `report` makes of one part of a profile, always the same, and their
    rows, from the largest self time."""

    def __init__(self, report: Callable[..., str], grouping: List[str]) -> None:
        self._report = report
        self._grouping = grouping
        self._rows: Optional[List[KeyAverage]] = None

    def table(self, sort_by: Optional[str] = None, row_limit: int = 100,
              max_name_column_width: Optional[int] = 55) -> str:
        """torch.profiler's table as text; a row_limit below 0 prints all rows, and a
        width of None whole names."""
        sort = [] if sort_by is None else ["--sort=" + sort_by]
        return self._report("summary", "--style=torch", "--ops",
                            "--limit=%d" % max(row_limit, 0),
                            "--name-width=%d" % (max_name_column_width or 0),
                            *self._grouping, *sort)

    def _averages(self):
        if self._rows is None:
            text = self._report("summary", "--style=torch", "--ops", "--limit=0",
                                "--format=json", *self._grouping)
            self._rows = [_average(row) for row in json.loads(text)["rows"]]
        return self._rows

    def __len__(self) -> int:
        return len(self._averages())

    def __getitem__(self, index: Any) -> Any:
        return self._averages()[index]
