"""What bench/run measures: a section of the results is a method of Bench."""

import concurrent.futures
import enum
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import typing

here = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(here, "speed"))
from processes import places  # noqa: E402
from rows import beside_plain, over_processes  # noqa: E402

# In two groups: what closing the second takes is long beside a call, and would
# disturb the first.
LIGHT = ["plain", "torchprof", "torchprof stopped",
         "bare RecordFunction callback", "ScriptProfile"]
HEAVY = ["plain", "legacy autograd profiler", "Kineto", "Kineto, shapes",
         "Kineto, stack"]
WORKLOADS = ["relu_chain", "lstm_loop", "encoder", "mobilenet_v3", "resnet18_1",
             "resnet18_5"]
#: Those that --smoke measures; they are made in one process.
SMOKE_WORKLOADS = ["relu_chain", "lstm_loop", "chain_100", "chain_1000", "chain_5000"]


class Failed(Exception):
    pass


#: How a node is recorded in the section `probe`, and what asks for it.
PROBE_MODES = {"aggregate": {}, "trace": {"TORCHPROF_MODE": "trace"},
               "one reading": {"TORCHPROF_READS": "one"}}


class Bench:
    """One build tree, and the models that are measured with it. Sections may be
    measured at the same time."""

    #: Held while the file of a workload is made, which several sections or builds
    #: may want at once.
    making = threading.Lock()

    def __init__(self, build, work, arguments):
        """work: a folder for all builds; the models in it are for each."""
        self.build = os.path.abspath(build)
        self.work = tempfile.mkdtemp(dir=work)
        self.smoke = arguments.smoke
        self.seconds = "1" if self.smoke else str(arguments.seconds)
        self.minutes = arguments.minutes
        self.bin = os.path.join(self.build, "bin")
        self.lib = os.path.join(self.build, "lib")
        self.cache = {}
        with open(os.path.join(self.build, "CMakeCache.txt")) as file:
            for line in file:
                name, _, value = line.strip().partition("=")
                self.cache[name.split(":")[0]] = value
        self.run(["cmake", "--build", self.build, "--target", "bench"])
        self.python = self.cache["TORCHPROF_PYTHON"]
        self.models = os.path.join(work, "models")
        self.version = self.run(
            [self.python, "-c", "import torch; print(torch.__version__)"]
        ).strip().split("+")[0]
        # For a LibTorch beside which there is no torchvision.
        self.vision = os.path.join(os.path.dirname(here), "build",
                                   "vision-" + self.version)

    def run(self, command, **environment):
        """Output of a command; what it has on stderr is shown if it fails."""
        done = subprocess.run(
            [str(word) for word in command], cwd=self.work, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=dict(os.environ, OMP_NUM_THREADS="1", **environment),
            universal_newlines=True)
        if done.returncode:
            raise Failed("%s: exit code %d\n%s%s" % (
                command[0], done.returncode, done.stdout[-1000:],
                done.stderr[-2000:]))
        return done.stdout

    def lines(self, command, **environment):
        return [json.loads(line)
                for line in self.run(command, **environment).split("\n") if line]

    def script(self, name, *arguments, **environment):
        return self.lines([self.python, "-W", "ignore",
                           os.path.join(here, name), *arguments], **environment)

    def tree(self):
        return ["--bin", self.bin, "--lib", self.lib]

    def tool(self, name, *arguments):
        return [os.path.join(self.bin, name), *arguments]

    def plain(self, name):
        """The file of a workload; without torchvision there is none of its."""
        plain = os.path.join(self.models, name + ".pt")
        with self.making:
            if not os.path.exists(plain):
                # Files made by the oldest LibTorch load in all.
                names = SMOKE_WORKLOADS if self.smoke else [name]
                self.run([self.cache["TORCHPROF_MODEL_PYTHON"], "-W", "ignore",
                          os.path.join(here, "speed", "workloads.py"),
                          self.models, *names])
        return plain

    def model(self, name, *options):
        """(plain, instrumented); Failed without torchvision for its models."""
        plain = self.plain(name)
        probed = os.path.join(self.work, name + "".join(options) + ".pt")
        with self.making:
            if not os.path.exists(probed):
                self.run(self.tool("torchprof-opt", "--quiet", "--instrument",
                                   "--methods=forward", *options, plain, "-o",
                                   probed))
        return plain, probed

    def profile(self):
        return os.path.join(self.work, "profile-%p.tprof")

    def one_call(self, probed):
        """What one call records: spans of nodes and the method, their sites, the
        size of the file, and what making the table takes."""
        profile = os.path.join(self.work, "once.tprof")
        if os.path.exists(profile):
            os.unlink(profile)
        # A model makes its own arguments; torchprof-run cannot ask it.
        self.run([self.python, "-W", "ignore", "-c", ONCE, self.lib, probed,
                  profile])
        begin = time.perf_counter()
        rows = json.loads(self.run(self.tool(
            "torchprof-report", "summary", profile, "--format=json", "--limit=0",
            "--columns=kind,calls")))["rows"]
        return {"spans": sum(row["calls"] for row in rows), "sites": len(rows),
                "file_bytes": os.path.getsize(profile),
                "report_ns": (time.perf_counter() - begin) * 1e9}

    # --- sections -----------------------------------------------------------

    def probe(self):
        results = []
        measured = [(mode, node, "80") for mode in PROBE_MODES
                    for node in ("relu", "scalar")]
        # Kilobytes that each node reads.
        measured += [("aggregate", "4", "46"), ("aggregate", "256", "28"),
                     ("aggregate", "1024", "18"), ("aggregate", "4096", "4"),
                     ("aggregate", "16384", "2")]
        for mode, node, turns in measured[:7] if self.smoke else measured:
            results += [dict(row, mode=mode) for row in self.chain(
                node, "2" if self.smoke else turns, **PROBE_MODES[mode])]
        return results

    def chain(self, *arguments, **environment):
        """What torchprof-bench-runtime finds, over several processes: where a
        process's stack and the runtime's code happen to lie is worth some
        nanoseconds. So is the place of free blocks, unless glibc's caches hold
        those of a chain, and not those of a whole process."""
        runtimes = places(self.build)
        return over_processes([
            self.lines(self.tool("torchprof-bench-runtime", *arguments),
                       TORCHPROF_FILE=self.profile(),
                       GLIBC_TUNABLES="glibc.malloc.tcache_count=1000",
                       LD_LIBRARY_PATH=runtime, **environment)
            for runtime in runtimes[:1] + ([] if self.smoke else
                                           runtimes[3::3])])

    def scale(self):
        """A node's cost by the length of the method that it is in."""
        results = []
        lengths = {10: 300, 100: 300, 1000: 100, 5000: 30}
        if self.smoke:
            lengths = {10: 2, 100: 2}
        for length, turns in lengths.items():
            results += [dict(row, length=length) for row in self.chain(
                "scalar", str(turns), str(length))]
        return results

    def contenders(self):
        # Where a process's data happen to lie is worth per cents of some models.
        seconds, processes = ("0.05", 1) if self.smoke else ("3", 3)
        results = []
        for name in SMOKE_WORKLOADS[:2] if self.smoke else WORKLOADS:
            plain, probed = self.model(name)

            def measured(names, **environment):
                return self.lines(
                    self.tool("torchprof-bench-contenders", plain, probed,
                              seconds, "1", *names),
                    TORCHPROF_FILE=self.profile(), **environment)

            def python(*options, **environment):
                return self.script("speed/python_contenders.py", plain, name,
                                   "0.2" if self.smoke else seconds, *options,
                                   PYTHONPATH=self.vision, **environment)

            found = []
            for group in (
                    lambda: measured(LIGHT), lambda: measured(HEAVY),
                    lambda: measured(["plain", "torchprof explicit"],
                                     TORCHPROF_LOWER="off"),
                    lambda: measured(["plain", "torchprof trace"],
                                     TORCHPROF_MODE="trace"),
                    python):
                found += over_processes([beside_plain(group())
                                         for _ in range(processes)])
            # Python's own memory is in sight of malloc only if it comes from
            # there, which costs time.
            heap = {row["contender"]: row
                    for row in python("--memory", PYTHONMALLOC="malloc")}
            for row in found:
                row.update(heap.get(row["contender"], {}))
            results.append(dict(self.one_call(probed), workload=name,
                                contenders=found))
        return results

    def threads(self):
        results = []
        for name in ("lstm_loop",) if self.smoke else ("lstm_loop",
                                                       "mobilenet_v3"):
            plain, probed = self.model(name)
            for threads in (1, 2) if self.smoke else (1, 2, 4, 16, 64):
                group = self.lines(
                    self.tool("torchprof-bench-contenders", plain, probed,
                              "0.05" if self.smoke else "8", str(threads),
                              "plain", "torchprof", "torchprof stopped",
                              "bare RecordFunction callback", "ScriptProfile",
                              "Kineto"),
                    TORCHPROF_FILE=self.profile())
                results.append({"workload": name, "threads": threads,
                                "contenders": beside_plain(group)})
        return results

    def models_(self, name, shape, calls, starts, *options):
        plain, probed = self.model(name, *options)
        return dict(self.script(
            "runtime/models.py", "--runtime",
            os.path.join(self.lib, "libtorchprof_runtime.so"), "--calls",
            str(calls), "--starts", str(starts), plain, probed, shape,
            TORCHPROF_FILE=self.profile())[0], model=name,
            options=" ".join(options))

    def whole(self):
        if self.smoke:
            return [self.models_("lstm_loop", "20,4,32", 3, 1)]
        shape = "1,3,224,224"
        results = [self.models_("resnet18_1", shape, 400, 3),
                   self.models_("densenet121", shape, 20, 7)]
        if self.version.startswith("1."):
            # Seen: 19 GB and minutes for a text of 20 000 lines.
            results.append({"model": "vit_b_16", "options": "--nodes=all",
                            "absent": "the importer of LibTorch 1.13 needs more "
                                      "memory than there is"})
        else:
            results.append(self.models_("vit_b_16", shape, 12, 3,
                                        "--nodes=all"))
        return results

    def models(self):
        shapes = {"lstm_loop": "20x4x32"} if self.smoke else {
            "densenet121": "1x3x64x64", "mobilenet_v3": "1x3x224x224",
            "resnet18_1": "1x3x224x224", "encoder": "2x32x128"}
        return self.script(
            "speed/real_models.py",
            *["%s=%s,%s" % (name, self.plain(name), shape)
              for name, shape in shapes.items()], "--build", self.build,
            "--minutes", str(self.minutes),
            *["--processes", "2", "--turns", "2", "--measuring", "0", "--copies", "2"]
            if self.smoke else [],
            TMPDIR=self.work)

    def attach(self):
        names = ["chain_100", "chain_1000", "chain_5000"]
        if not self.smoke:
            names = ["densenet121", "vit_b_16"] + names
        return self.script(
            "speed/attaching.py",
            *["%s=%s" % (name, self.plain(name)) for name in names],
            "--build", self.build, "--processes", "1" if self.smoke else "7",
            TMPDIR=self.work)

    def passes(self):
        return self.lines(self.tool("torchprof-bench-passes",
                                    "1" if self.smoke else "7"))

    def report(self):
        return self.lines([sys.executable, os.path.join(here, "report", "run.py"),
                           self.build, "100" if self.smoke else "1"])

    def oracle(self):
        return self.script("fidelity/oracle.py", os.path.join(self.work, "oracle"),
                           *self.tree(), "--calls", "30" if self.smoke else "2000")

    def coverage(self):
        zoo = self.cache["TORCHPROF_TEST_MODELS"]
        only = ["--only", "for_loop", "if_else", "--most-runs", "5",
                "--profiles", "1"] if self.smoke else []
        return self.script("fidelity/coverage.py", zoo,
                           os.path.join(self.work, "coverage"), "--bin", self.bin,
                           *only)

    def gradients(self):
        # One that trains, and one that differentiates itself.
        some = "lstm" if self.version.startswith("1.") else "schnet"
        only = ["--only", some, "--steps", "2"] if self.smoke else []
        return self.script("fidelity/gradients.py", self.work, "--build",
                           self.build, *only, PYTHONPATH=self.vision)

    def of_zoo(self, script, *some):
        """Rows of the models of the test zoo; of SOME in a smoke test."""
        return self.script(script, self.cache["TORCHPROF_TEST_MODELS"], self.work,
                           "--build", self.build,
                           *["--only", *some] if self.smoke else [],
                           PYTHONPATH=self.vision)

    def memory(self):
        return self.of_zoo("fidelity/memory.py", "for_loop", "interface_calls")

    def flops(self):
        if self.version.startswith("1."):
            return []  # it has no flop_counter
        return self.of_zoo("fidelity/flops.py", "shared_module", "if_else")

    def measures(self):
        names = ["relu_chain"] + ([] if self.smoke else ["mobilenet_v3"])
        return self.script(
            "speed/measures.py",
            *["%s=%s" % (name, self.model(name)[0]) for name in names],
            "--build", self.build, *["--seconds", "0", "--turns", "1", "--fork"]
            if self.smoke else ["--seconds", "0.4", "--turns", "6"])

    def recorded(self):
        return self.script(
            "speed/recorded.py", self.model("relu_chain")[0],
            *["time", "memory, shapes", "torch.profiler, memory, shapes", "--rounds",
              "1", "--turns", "1"] if self.smoke else [],
            "--build", self.build, TMPDIR=self.work)

    def perturbation(self):
        names = ["relu_chain", "lstm_loop"]
        if not self.smoke:
            names += ["encoder", "mobilenet_v3", "resnet18_1"]
        for name in names:
            self.model(name)
        return self.script("fidelity/perturbation.py", self.models, *names,
                           *self.tree(), "--work", self.work)

    def agreement(self):
        results = []
        for name in ("lstm_loop",) if self.smoke else ("encoder", "resnet18_1"):
            plain, probed = self.model(name)
            for row in self.script("fidelity/agreement.py", plain, probed,
                                   *self.tree(), "--work", self.work, "--calls",
                                   "1" if self.smoke else "20",
                                   MALLOC_TRIM_THRESHOLD_="1000000000",
                                   MALLOC_MMAP_THRESHOLD_="1000000000"):
                results.append(dict(row, model=name))
        return results

    def gate(self):
        return self.script("fidelity/gate.py", os.path.join(self.work, "gate"),
                           *self.tree(), "--reruns", "1" if self.smoke else "20",
                           "--runs", "10" if self.smoke else "100",
                           "--processes", "2" if self.smoke else "5")

    def soak(self):
        _, probed = self.model("lstm_loop")

        def folded_by(which):
            return self.script("soak.py", probed,
                               os.path.join(self.work, "soak-" + which),
                               *self.tree(), "--fold", which, "--seconds",
                               self.seconds)

        with concurrent.futures.ThreadPoolExecutor() as pool:
            return sum(pool.map(folded_by, ("run", "thread")), [])

    def reload(self):
        return self.script("reload.py", os.path.join(self.work, "reload"),
                           *self.tree(), "--seconds", self.seconds)

    def storms(self):
        """The unit tests that count what they did."""
        results = []
        for program, tests in (
                ("torchprof-runtime-tests", "Kill.*:Fork.*:Thread.*:Stress.*"),
                ("torchprof-report-tests", "Damage.*")):
            if self.smoke:
                tests = "Kill.Exit*:Damage.EveryTruncation"
            report = os.path.join(self.work, "tests.json")
            self.run([os.path.join(self.bin, program), "--gtest_filter=" + tests,
                      "--gtest_output=json:" + report])
            with open(report) as file:
                suites = json.load(file)["testsuites"]
            for suite in suites:
                for test in suite["testsuite"]:
                    results.append({"test": "%s.%s" % (suite["name"],
                                                       test["name"]),
                                    "program": program,
                                    "figure": test.get("figure", ""),
                                    "passed": "failures" not in test})
        return results


ONCE = """
import os, sys, torch
lib, path, profile = sys.argv[1:]
torch.ops.load_library(os.path.join(lib, "libtorchprof_runtime.so"))
torch.ops.torchprof.set_option("file", profile)
model = torch.jit.load(path)
with torch.no_grad():
    for _ in range(3):
        model(*model.inputs())
    torch.ops.torchprof.reset()
    model(*model.inputs())
"""

class Beside(enum.Enum):
    """What may run at the same time as a section."""
    #: Those of other builds: its work is one thread's, which stays on one processor.
    OTHER_BUILDS = enum.auto()
    #: Nothing: its work is several threads' or processes'.
    NOTHING = enum.auto()
    #: Others of this kind, of any build: what it finds are no times.
    OTHERS = enum.auto()


class Section(typing.NamedTuple):
    measure: typing.Callable  # of a Bench; its rows, or it raises Failed
    beside: Beside


SECTIONS = {
    "models": Section(Bench.models, Beside.OTHER_BUILDS),
    "probe": Section(Bench.probe, Beside.OTHER_BUILDS),
    "scale": Section(Bench.scale, Beside.OTHER_BUILDS),
    "recorded": Section(Bench.recorded, Beside.OTHER_BUILDS),
    "contenders": Section(Bench.contenders, Beside.OTHER_BUILDS),
    "threads": Section(Bench.threads, Beside.NOTHING),
    "whole": Section(Bench.whole, Beside.OTHER_BUILDS),
    "attach": Section(Bench.attach, Beside.OTHER_BUILDS),
    "passes": Section(Bench.passes, Beside.OTHER_BUILDS),
    "report": Section(Bench.report, Beside.NOTHING),
    "oracle": Section(Bench.oracle, Beside.OTHER_BUILDS),
    "coverage": Section(Bench.coverage, Beside.OTHER_BUILDS),
    "gradients": Section(Bench.gradients, Beside.OTHER_BUILDS),
    "measures": Section(Bench.measures, Beside.OTHER_BUILDS),
    "agreement": Section(Bench.agreement, Beside.OTHER_BUILDS),
    "gate": Section(Bench.gate, Beside.OTHER_BUILDS),
    "soak": Section(Bench.soak, Beside.OTHERS),
    "reload": Section(Bench.reload, Beside.OTHERS),
    "memory": Section(Bench.memory, Beside.OTHERS),
    "flops": Section(Bench.flops, Beside.OTHERS),
    "perturbation": Section(Bench.perturbation, Beside.OTHERS),
    "storms": Section(Bench.storms, Beside.OTHERS),
}
