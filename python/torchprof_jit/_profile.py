"""profile: a range of recording. What was recorded in it is read as _results.py says."""

import itertools
import os
import sys
import threading
import weakref
from typing import Any, Callable, Iterable, List, Optional, Set, Tuple, Union

import torch

from . import _devices, _instrument, _options, _tools
from ._part import Part, joined, snapshots
from ._results import NothingRecorded, Results
from ._schedule import always

_RECORDING = ("RECORD", "RECORD_AND_SAVE")
_lock = threading.RLock()  # of what follows, and of the runtime's window
_recording: List["profile"] = []  # the profiles that record, in the order of their beginning
# The one that began to record last, which this does not keep alive, and, if it records
# one thread, which.
_newest: Optional[Tuple["weakref.ref[profile]", Optional[int]]] = None
_all: "weakref.WeakSet[profile]" = weakref.WeakSet()


def _forget_parent():
    """In a child of fork: ranges that are open are its parent's, and so are locks
    that another thread held."""
    global _lock, _newest
    _lock = threading.RLock()
    for inherited in _all:
        inherited._making = threading.RLock()
        inherited._is_inherited = True
        inherited._left_open |= inherited._inside
        inherited._in_with = False
        inherited._calls.clear()
    if _recording:  # a child that opens no range records nothing
        torch.ops.torchprof.stop()
    _recording.clear()
    _newest = None


os.register_at_fork(after_in_child=_forget_parent)


def _wait_for_devices():
    """Waits for what nodes gave to devices, if the process records how long that
    takes: only what is done then is in a snapshot."""
    if "device" in _options.chosen("record"):
        _devices.synchronize()


def _attach_to(module, example_inputs):
    """The ScriptModule to call: it is profiled as it is, and instrumented only
    where nothing can be attached to it, which also says why."""
    module = _instrument.scripted(module, example_inputs)
    if (_instrument.has_manifest(module)
            or torch.ops.torchprof._attach_to(module._c)):
        return module
    return _instrument.instrument(module)


class profile(Results):
    """Records a range of a program:

        with profile(model) as p:
            p.module(x)
        print(p.summary())

    or, for a range of one call each, profile(model)(x). A backward() that the program
    calls behind that is in no range.

    module    an eager module (scripted or traced first, see instrument), a
              ScriptModule or a .pt file; `p.module` is the one to call, for
              a ScriptModule itself. Nothing in it changes. With the options
              of instrument as further keyword arguments it is an
              instrumented copy, with the module's own parameters and
              buffers. None to record all TorchScript that the
              program runs itself, as far as it runs for the first time
              after this call, or is instrumented.
    schedule  function from step number to an Action, as made by schedule()
              or torch.profiler.schedule(); p.step() ends a step
    on_trace_ready  called with p after the last active step of each cycle, and
              at the end of a `with` that still records, if anything was recorded
    trace     keep each span with its times, for export("chrome") and
              export("perfetto"); the process's first profile decides
    profile_memory  record what tensors take; the process's first
              profile decides, here as of the next ones
    blocks    and who allocated what is alive, for memory()
    with_stack, with_modules  torch.profiler's: always on
    activities  as torch.profiler's: with one beside the CPU's, record how
              long the device works for each node. Leaving a range waits
              for the device, and so does beginning one inside of another
    device    True: the same, for whatever device LibTorch has
    operators record the operators inside of nodes, as rows of key_averages()
              and, if asked for, of summary() and tree()
    labels    make each record_function() a region
    record_shapes  tell apart the shapes of nodes' inputs. with_flops means
              the same: the report knows what a call of these shapes computes
    threads   "all", or "current": only what the thread that opened the
              range records

    Each range, and each cycle of a schedule, starts empty; calls p(x)
    outside of one add up, and those that overlap are one range. Ranges may lie
    in each other and overlap, on one thread or several: each has what ran while
    it was open. A run that another range's beginning meets on its way is cut: it
    is in none of them, and neither is what other threads run just then.
    """

    def __init__(
        self,
        module: Union[torch.nn.Module, str, "os.PathLike[str]", None] = None,
        schedule: Optional[Callable[[int], Any]] = None,
        on_trace_ready: Optional[Callable[["profile"], None]] = None,
        threads: str = "all",
        trace: bool = False,
        profile_memory: bool = False,
        record_shapes: bool = False,
        with_flops: bool = False,
        blocks: bool = False,
        operators: bool = False,
        labels: bool = False,
        activities: Optional[Iterable[Any]] = (),
        device: bool = False,
        with_stack: bool = True,
        with_modules: bool = True,
        example_inputs: Any = None,
        **options: Any
    ) -> None:
        if threads not in ("all", "current"):
            raise ValueError("threads must be 'all' or 'current', not %r"
                             % (threads,))
        _tools.load_hooks()
        self._ops = torch.ops.torchprof
        decided: List[Tuple[str, str]] = []
        news = _options.end_schedule(self._ops)
        try:
            for argument, asked, option, word in (
                    ("trace", trace, "mode", "trace"),
                    ("profile_memory", profile_memory, "record", "memory"),
                    ("record_shapes", record_shapes, "record", "shapes"),
                    ("with_flops", with_flops, "record", "shapes"),
                    ("blocks", blocks, "record", "blocks"),
                    ("operators", operators, "record", "ops"),
                    ("labels", labels, "record", "labels"),
                    ("activities", _devices.wants_one(activities), "record",
                     "device"),
                    ("device", device, "record", "device")):
                if asked and _options.decide(
                        self._ops, argument + "=True", option, word):
                    decided.append((option, word))
            # Behind the options, since tracing may run what is recorded.
            self.module: Any = module
            if options:
                self.module = _instrument.instrument(
                    module, example_inputs, **options)
            elif module is not None:
                self.module = _attach_to(module, example_inputs)
        except BaseException:
            # No profile has asked for them.
            for option, word in reversed(decided):
                _options.undo(self._ops, option, word)
            if news and not _options.undo_schedule(self._ops):
                _options.warn(news)
            raise
        _options.warn(news)
        self._is_made = module is not None and self.module is not module
        self.step_number = 0
        self._schedule = schedule or always
        self._on_ready = on_trace_ready
        self._threads = threads
        self._in_with = False
        self._left_open = False  # in a child of fork: the range that is its parent's
        self._calls: Set[object] = set()  # calls p(x) under way that are a range
        self._fresh = True  # what was recorded before does not count
        self._parts: List[Part] = []  # of what it records now, recorded before
        self._shown: List[Part] = []  # parts of what it has recorded
        self._cycle: List[Part] = []  # of the last one that this `with` has ended
        self._is_inherited = False  # from a parent process
        # Parts that were shown, and one of all, made when it is asked for.
        self._made: Optional[Tuple[List[Part], Part]] = None
        self._making = threading.RLock()  # of that; taken after _lock, if both are
        self._folder = _tools.temporary_folder(self)
        self._numbers = itertools.count(1)  # of the files there
        _all.add(self)
        with _lock:
            if not _recording:
                self._ops.stop()

    # --- recording ----------------------------------------------------------
    #
    # The handler of a signal may raise, as that of SIGINT does, wherever Python looks
    # for signals: as a function begins, and behind a call. So a range does not need
    # that the function that is to end it begins, but for __exit__().

    @property
    def _inside(self):
        """True in a range."""
        return self._in_with or bool(self._calls)

    def __enter__(self) -> "profile":
        return self._open(fresh=True)

    def __exit__(self, *_: object) -> None:
        unsaved = self in _recording
        self._left_open = False
        try:
            if unsaved:
                self._stop()
        finally:
            self._in_with = False
            if self in _recording:
                self._abandon()
        # As torch.profiler does at the end of a range in which it records.
        if unsaved:
            self._call_ready()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.module is None:
            raise TypeError("this profile was made without a module")
        # Calls of several threads may overlap: the first begins their range, and
        # the last ends it. One inside of a `with` is in the range of that.
        call = object()
        try:
            with _lock:
                if not self._in_with:
                    # Parts of two processes are not joined.
                    self._open(fresh=not self._shown or self._is_inherited,
                               call=call)
            return self.module(*args, **kwargs)
        finally:
            # Gone already in a child that was forked in the call.
            if call in self._calls:
                try:
                    with _lock:
                        self._calls.discard(call)
                        if not self._calls and self in _recording:
                            self._stop()
                finally:
                    self._calls.discard(call)
                    if not self._calls and self in _recording:
                        self._abandon()

    def step(self) -> None:
        """Ends a step of the schedule."""
        if self._left_open and not self._inside:
            return  # the parent's loop goes on in this child
        if not self._inside:
            raise RuntimeError("step() outside of a range")
        saved = self in _recording and self._action() == "RECORD_AND_SAVE"
        self.step_number += 1
        try:
            if saved:
                self._fresh = True
                self._stop()
                self._cycle = self._shown
                self._call_ready()
        finally:  # also if this cycle's results are lost, or its host fails
            self._follow_schedule()

    def _call_ready(self):
        """Tells the host of what was recorded, if anything was."""
        if self._on_ready and self._whole().path is not None:
            self._on_ready(self)

    def _action(self):
        """The name of this step's action; torch.profiler's are equal."""
        return self._schedule(self.step_number).name

    def _open(self, fresh, call=None):
        """Begins a range for a `with`, or for a call if there is no other yet, and
        returns self."""
        opened = False
        try:
            with _lock:
                if self._in_with or (self._calls and call is None):
                    raise RuntimeError("this profile has a range open already")
                opened = not self._calls
                if call is None:
                    self._in_with = True
                else:
                    self._calls.add(call)
                if not opened:
                    return self
                if self in _recording:
                    self._abandon()
            self._thread = threading.get_native_id()
            self._fresh = fresh
            if fresh:
                self._cycle = []
            self._follow_schedule()
            return self
        except BaseException:
            if opened:
                self._in_with = False
                self._calls.discard(call)
                if self in _recording:
                    self._abandon()
            raise

    def _abandon(self):
        """Leaves what it records to nobody."""
        with _lock:
            if _recording == [self]:
                self._ops.stop()
            if self in _recording:
                _recording.remove(self)

    def _follow_schedule(self):
        record = self._action() in _RECORDING
        if record and self not in _recording:
            self._start()
        elif not record and self in _recording:
            self._stop()

    def _only_thread(self):
        """The thread that it records; None if it records all."""
        return self._thread if self._threads == "current" else None

    def _start(self):
        """Lets the range begin with nothing in the runtime's hands."""
        global _newest
        with _lock:
            begun = (weakref.ref(self), self._only_thread())
            goes_on = not (self._fresh or _recording) and _newest == begun
            if not goes_on:
                # What an ended thread has left in this one's lane is others'.
                self._ops.lane()
                self._parts = [] if self._fresh else self._few(self._shown)
                self._leave_parts()
                if self._threads == "current":
                    self._ops.reset_thread()
                else:
                    self._ops.reset()
            self._fresh = False
            _newest = begun
            _recording.append(self)
            self._ops.start()

    def _few(self, parts):
        """The same parts, or one of all if they are many."""
        if len(parts) < 32:
            return list(parts)
        with self._making:
            return [joined(parts, self._new_path())]

    def _leave_parts(self):
        """Hands over what ranges that record have recorded so far, before it is
        emptied."""
        thread = self._only_thread()
        others = [other for other in _recording
                  # The part of another thread's range stays where it is.
                  if thread is None or other._only_thread() in (None, thread)]
        if not others:
            return
        _wait_for_devices()
        for other in others:
            other._parts = other._few(other._parts)
        # One copy for all, so that ranges of one extent have the same, and what other
        # threads record until they are emptied, which is lost, is little.
        parts = snapshots(self._ops, [other._place(thread) for other in others])
        for other, part in zip(others, parts):
            other._parts.append(part)

    def _stop(self):
        try:
            _wait_for_devices()
        finally:
            self._keep()

    def _keep(self):
        """Ends what it records, and takes the parts of that."""
        with _lock:
            if self not in _recording:
                return
            self._abandon()
            parts = self._parts + snapshots(self._ops, [self._place()])
            self._shown = parts
            self._is_inherited = False
            self._made = None

    def _place(self, thread=None):
        """Where the next snapshot for this range goes, and the thread that counts
        there: `thread`, else the range's own."""
        return (self._new_path(),
                self._only_thread() if thread is None else thread)

    def _new_path(self):
        return os.path.join(self._folder, "%d-%d.tprof"
                            % (os.getpid(), next(self._numbers)))

    # --- results ------------------------------------------------------------

    def _whole(self):
        """One part of all that is shown, without a file if that is nothing."""
        with self._making:
            shown, made = self._shown, self._made
            if made is None or made[0] is not shown:
                made = self._made = shown, joined(shown, self._new_path())
            return made[1]

    def _show_cycle(self):
        """Shows the last cycle that has ended, if the one that began after it was
        left before it recorded anything."""
        with _lock, self._making:
            if self._cycle and self._whole().path is None:
                self._shown, self._cycle = self._cycle, []

    def _title(self):
        # A ScriptModule has its class's name so; a ScriptFunction has a name.
        for attribute in ("original_name", "name"):
            name = getattr(self.module, attribute, None)
            if name and isinstance(name, str):
                return name
        # A host that is no Python program may have no arguments.
        program = (getattr(sys, "argv", None) or [""])[0]
        return os.path.basename(program) or "python"

    def _recorded(self):
        whole = self._whole()
        if whole.path is None:
            self._show_cycle()
            whole = self._whole()
        if whole.path is None:
            raise NothingRecorded(self._why_nothing())
        return whole

    def _why_nothing(self):
        if _options.is_off():
            return ("nothing was recorded: TORCHPROF=%s is set, which records nothing"
                    % os.environ["TORCHPROF"])
        if self in _recording:
            return ("no results yet: the range is open; ask when it%s has ended"
                    % ("" if self._schedule is always else ", or this cycle,"))
        reason = ("nothing was recorded: no TorchScript model ran inside the range that "
                  "is instrumented or ran for the first time after profile() was made")
        if self._schedule is not always:
            reason += ", or none did in an active step of the schedule"
        if _options.schedule():
            reason += ", or TORCHPROF_SCHEDULE=%s left it out" % _options.schedule()
        if self._is_made:
            reason += "; call p.module, which is not the module that was passed in"
        return reason
