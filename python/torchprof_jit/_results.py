"""Results: what was recorded, as text, rows and files."""

import functools
import gzip
import json
import os
import shutil
from typing import Any, Dict, List, Optional, Sequence, Union

from . import _tools
from ._key_averages import KeyAverages
from ._part import Part
from ._runs import of_method


_UNTITLED = ("folded", "pprof")  # kinds of files that have no title


class NothingRecorded(RuntimeError):
    """A result was asked for of a range in which nothing was recorded."""


class Results:
    """What can be asked of a profile. Everything is read from the file of one part,
    which the class that inherits this makes."""

    _folder: str  # for files that are made for an answer

    def _recorded(self) -> Part:
        """The part, which has a file: NothingRecorded if there is none. Others
        may record the next one at any time, so who reads its file holds it
        meanwhile."""
        raise NotImplementedError

    def _title(self) -> str:
        """What an exported file is called where it is shown. The tool would take
        the profile's path, which is a temporary file's."""
        raise NotImplementedError

    @property
    def file(self) -> str:
        """Path of the profile, which is there until the next one is."""
        return self._recorded().path

    def report(self, command: str, *arguments: object) -> str:
        """What `torchprof-report COMMAND FILE ARGUMENTS` prints."""
        return self._report_of(self._recorded(), command, *arguments)

    def _report_of(self, part, command, *arguments):
        """The same of one part. A method, because who keeps it to ask later has to
        keep this object, too: the part's file goes with the folder of it."""
        return _tools.run_tool("torchprof-report", command, part.path, *arguments)

    def summary(self, style: str = "torchprof",
                sort_by: Union[str, Sequence[str], None] = None,
                row_limit: Optional[int] = None,
                group_by: Optional[str] = None,
                columns: Optional[Sequence[str]] = None,
                operators: bool = False) -> str:
        """The table of nodes as text. style: torchprof, fx, torch, tflite;
        sort_by: a column id or several; row_limit: 0 prints all rows;
        operators: with those inside of nodes."""
        arguments = ["--style=" + style]
        if operators:
            arguments.append("--ops")
        if sort_by is not None:
            names = [sort_by] if isinstance(sort_by, str) else sort_by
            arguments += ["--sort=" + name for name in names]
        if row_limit is not None:
            arguments.append("--limit=%d" % max(row_limit, 0))
        if group_by is not None:
            arguments.append("--group-by=" + group_by)
        if columns is not None:
            arguments.append("--columns=" + ",".join(columns))
        return self.report("summary", *arguments)

    def key_averages(self, group_by_input_shape: bool = False,
                     group_by_stack_n: int = 0) -> KeyAverages:
        """What torch.profiler's key_averages() is used for: its rows and its
        table(sort_by, row_limit, max_name_column_width), of the nodes of models and
        of the operators inside of them that were recorded. What is recorded later
        does not change them."""
        if group_by_input_shape and group_by_stack_n:
            raise ValueError("group by input shapes or by stacks, not by both")
        grouping = []
        if group_by_input_shape:
            grouping = ["--group-by=shape"]
        elif group_by_stack_n:
            grouping = ["--group-by=stack", "--stack-depth=%d" % group_by_stack_n]
        return KeyAverages(functools.partial(self._report_of, self._recorded()),
                           grouping)

    def rows(self, group_by: str = "node",
             columns: Optional[Sequence[str]] = None) -> List[Dict[str, Any]]:
        """The rows of the summary as dicts; columns: ids, else those that the
        summary prints."""
        chosen = [] if columns is None else ["--columns=" + ",".join(columns)]
        return self._tables("summary", "--limit=0", "--group-by=" + group_by,
                            *chosen)["rows"]

    def dataframe(self, group_by: str = "node",
                  columns: Optional[Sequence[str]] = None) -> Any:
        """The rows as a pandas DataFrame."""
        import pandas
        return pandas.DataFrame(self.rows(group_by, columns))

    def tree(self, *arguments: str) -> str:
        """The tree of modules as text."""
        return self.report("tree", *arguments)

    def memory(self) -> str:
        """Who allocated what was alive at the peak, and what grows from run to
        run, as text."""
        return self.report("memory")

    def runs(self, method: Optional[str] = None) -> List[float]:
        """Total times of the runs in seconds, in order, the last 1024 of
        each method and thread: of "Net.forward", or of "forward" of all
        models; KeyError if it has none. Without a method they may be none."""
        try:
            rows = self._tables("runs")["last"]["rows"]
        except NothingRecorded as error:
            if method is not None:
                raise KeyError("no run of %r was recorded" % method) from error
            rows = []
        if method is not None:
            rows = of_method(rows, method, self._models)
        return [row["latency_s"]
                for row in sorted(rows, key=lambda row: row["end_steady_ns"])]

    def _models(self):
        """The names of the models that ran."""
        return {row["model"] for row in self.rows(columns=["kind", "model"])
                if row["kind"] == "method"}

    def node_runtimes(self, name: str) -> List[float]:
        """The samples kept for one node, in seconds: the first of each
        thread, in order. `name` is as in the rows, may have the model in front
        ("Net.x.1"), or is a row's "key"; ValueError if several nodes have it."""
        try:
            tables = self._tables("runs", "--node=" + name)
        except _tools.ToolError as error:
            if "--node: no node" not in str(error):
                raise
            raise KeyError("no node %r was recorded" % name) from None
        rows = tables["first_calls"]["rows"]
        keys = sorted({row["key"] for row in rows})
        if len(keys) > 1:
            raise ValueError("several nodes are called %r; their keys: %s"
                             % (name, ", ".join(keys)))
        return [row["latency_s"] for row in rows]

    def export(self, kind: str, path: Union[str, "os.PathLike[str]"],
               title: Optional[str] = None) -> None:
        """Writes the profile for a viewer: kind is "tprof" for the profile
        itself, or what `torchprof-report export --to` takes. The viewer shows
        title, else the name of the model or, without one, of the program; stacks
        for flamegraph.pl and pprof have no title."""
        if kind == "tprof":
            recorded = self._recorded()
            shutil.copy(recorded.path, path)
        else:
            if title is None and kind not in _UNTITLED:
                title = self._title()
            titled = () if title is None else ("--title=" + title,)
            self.report("export", "--to=" + kind, *titled, "-o", path)

    def export_chrome_trace(self, path: Union[str, "os.PathLike[str]"],
                            use_python_export: bool = False) -> None:
        """torch.profiler's name of export("chrome", path), for its handlers such as
        tensorboard_trace_handler(); compressed if the path ends with ".gz"."""
        path = os.fspath(path)
        self.export("chrome", path)
        if path.endswith(".gz"):
            with open(path, "rb") as file:
                text = file.read()
            with gzip.open(path, "wb") as file:
                file.write(text)

    def _tables(self, command, *arguments):
        """What a command of the report says, by the tables' names."""
        return json.loads(self.report(command, "--format=json", *arguments))

    def _has_file(self):
        try:
            return bool(self.file)
        except RuntimeError:
            return False

    def __repr__(self) -> str:
        if not self._has_file():
            return "<torchprof_jit.profile, nothing recorded>"
        return "<torchprof_jit.profile, %d rows>" % len(self.rows())

    def _repr_html_(self) -> Optional[str]:
        """A notebook shows the page, in a frame of its own."""
        if not self._has_file():
            return None
        path = os.path.join(self._folder, "page.html")
        try:
            self.export("html", path)
        except _tools.ToolError:
            return None  # built without the page: the notebook shows repr()
        with open(path, encoding="utf-8") as file:
            page = file.read()
        page = page.replace("&", "&amp;").replace('"', "&quot;")
        return ('<iframe srcdoc="%s" width="100%%" height="600" '
                'style="border:0"></iframe>' % page)
