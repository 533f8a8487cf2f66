#!/usr/bin/env python3
"""Whether random programs do what they do without torchprof: scripted in an attached
process, loaded in one, as instrumented files in one and, without grad, as such in a host
without hooks. random_program.py makes them.

Each is called with grad and a backward, without grad, and under autocast, four times,
the last time with another shape. Outputs, derivatives, state and exceptions are compared
bit for bit, without hooks up to rounding. LibTorch itself gives now this sum and now that one, by where memory lies:
where a call differs, all processes are repeated, and it is a difference if nothing that
came with torchprof came without.

Attached processes must have recorded each call that did not raise, and the sites of an
instrumented file as often as those of the original.

Prints a line per program that fails and one in the end; exit code 1 with a failure.
"""

import argparse
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import typing

import torch

import forks
from observed import read_profile
from random_program import program

CALLS = 4
REPEATS = 6


class Kind(typing.NamedTuple):
    """Of a process: what it runs, whether torchprof is attached, and the process alone
    that it is compared with."""
    runs: str
    attached: bool = False
    beside: typing.Optional[str] = None
    ways: tuple = ("grad", "no-grad", "autocast")


#: What is scripted is not what is loaded: LibTorch orders their sums of gradients now
#: so and now so.
KINDS = {
    "scripted": Kind("program"),
    "loaded": Kind("file"),
    "scripted-attached": Kind("program", True, "scripted"),
    "loaded-attached": Kind("file", True, "loaded"),
    "instrumented-attached": Kind("instrumented file", True, "loaded"),
    # Around probes LibTorch does not compute several products at once.
    "values": Kind("file", ways=("values",)),
    "instrumented": Kind("instrumented file", False, "values", ("values",)),
}


# --- in the processes -------------------------------------------------------


def digest(tensors):
    found = hashlib.sha1()
    for tensor in tensors:
        found.update(b"none" if tensor is None
                     else tensor.detach().float().contiguous().numpy())
    return found.hexdigest()[:12]


def values_of(tensors):
    return torch.cat([tensor.detach().float().flatten() for tensor in tensors]).tolist()


def call(module, way, number):
    """What a caller sees of one call, as a digest or as values, or the exception's
    text."""
    torch.manual_seed(number)
    rows = 3 if number == CALLS - 1 else 4
    x, h = torch.randn(rows, 8), torch.randn(rows, 8)
    module.seen.zero_()
    for parameter in module.parameters():
        parameter.grad = None
    try:
        with torch.set_grad_enabled(way == "grad"), \
                torch.autocast("cpu", torch.bfloat16, enabled=way == "autocast"):
            result = module(x.requires_grad_(way == "grad"), h, number % 2 == 0)
        ends = [end.sum() for end in result if end.requires_grad]
        if ends:
            sum(ends).backward()
    except Exception as error:
        return "raised " + str(error).splitlines()[-1]
    if way == "values":
        return values_of([*result, module.seen])
    return digest([*result, module.seen, x.grad,
                   *(parameter.grad for parameter in module.parameters())])


def scripted(path):
    spec = importlib.util.spec_from_file_location(
        os.path.basename(path)[:-3], path)
    python = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(python)
    return torch.jit.script(python.Program())


def behave(arguments):
    """The part of one process: calls each program and writes what it saw."""
    torch.set_num_threads(1)
    if arguments.runtime:
        torch.ops.load_library(arguments.runtime)
    seen, kind = {}, KINDS[arguments.behave]
    for seed in arguments.chosen:
        path = program_path(arguments, seed)
        if kind.runs == "program":
            module = scripted(path + ".py")
            if arguments.save:
                module.save(path + ".pt")
        else:
            module = torch.jit.load(path + (
                ".pt" if kind.runs == "file" else "_instr.pt"))
        seen[seed] = [call(module, way, number) for way in kind.ways
                      for number in range(CALLS)]
    with open(seen_path(arguments), "w") as file:
        json.dump(seen, file)
    forks.rest()


# --- outside ----------------------------------------------------------------


def program_path(arguments, seed):
    """Without the ending: it has a source, a file and an instrumented file."""
    return os.path.join(arguments.work, "program_%d" % seed)


def seen_path(arguments):
    return os.path.join(arguments.work, arguments.behave + ".json")


def profile_path(arguments, kind):
    return os.path.join(arguments.work, kind + ".tprof")


def seen_by(arguments, kind, seeds, *words):
    """{seed: what a process of KIND saw of each call}"""
    libraries = os.path.dirname(arguments.preload)
    environment = dict(os.environ)
    if KINDS[kind].beside:
        environment["TORCHPROF_FILE"] = profile_path(arguments, kind)
    if KINDS[kind].attached:
        environment["LD_PRELOAD"] = arguments.preload
    elif KINDS[kind].beside:
        environment["TORCHPROF_HOOKS"] = "off"
        words += ("--runtime", os.path.join(libraries, "libtorchprof_runtime.so"))
    if os.path.exists(profile_path(arguments, kind)):
        os.unlink(profile_path(arguments, kind))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", os.path.abspath(__file__), arguments.work,
         "--preload", arguments.preload, "--behave", kind, *words,
         "--only", *map(str, seeds)],
        env=environment, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode:
        sys.exit("%s: exit code %d\n%s" % (kind, done.returncode, done.stderr))
    for line in done.stderr.splitlines():
        if line.startswith("torchprof:"):
            print(line)
    with open(os.path.join(arguments.work, kind + ".json")) as file:
        return {int(seed): found for seed, found in json.load(file).items()}


def make_files(arguments, seeds):
    """Returns what the process saw that scripted the programs."""
    paths = [program_path(arguments, seed) for seed in seeds]
    for seed, path in zip(seeds, paths):
        with open(path + ".py", "w") as file:
            file.write(program(seed))
    seen = seen_by(arguments, "scripted", seeds, "--save")
    for path in paths:
        subprocess.run(["torchprof-opt", "--quiet", "--instrument", path + ".pt", "-o",
                        path + "_instr.pt"], check=True)
    return seen


def differing(alone, found):
    """The numbers of the calls that differ; values may by rounding."""
    def same(a, b):
        if isinstance(a, list) and isinstance(b, list):
            return torch.allclose(torch.tensor(a), torch.tensor(b), 1e-4, 1e-5,
                                  equal_nan=True)
        return a == b

    return [number for number, (a, b) in enumerate(zip(alone, found))
            if not same(a, b)]


def still_differing(arguments, kind, seed, numbers):
    """Those of them in which nothing that KIND gives comes alone."""
    if "values" in KINDS[kind].ways:
        return numbers

    def sets(kind):
        runs = [seen_by(arguments, kind, [seed])[seed] for _ in range(REPEATS)]
        return list(map(set, zip(*runs)))

    alone, found = sets(KINDS[kind].beside), sets(kind)
    return [number for number in numbers if not alone[number] & found[number]]


def forward_calls(sites):
    """Calls of the method forward of a program."""
    return sum(calls for site, calls in sites.values()
               if site["kind"] == "method" and site["name"] == "forward")


def not_recorded(arguments, alone):
    """What the attached processes have not recorded as it was."""
    wanted = sorted(sum(not text.startswith("raised") for text in calls)
                    for calls in alone.values())
    profiles = {kind: read_profile(profile_path(arguments, kind))
                for kind in KINDS if KINDS[kind].attached}
    for kind, models in profiles.items():
        found = sorted(map(forward_calls, models.values()))
        if found != wanted:
            yield "%s: calls of forward recorded: %s of %s" % (kind, found, wanted)
    loaded, file = profiles["loaded-attached"], profiles["instrumented-attached"]
    if set(loaded) != set(file):
        yield "%d of %d models differ from the files'" % (
            len(set(loaded) ^ set(file)), len(loaded))
    for model in set(loaded) & set(file):
        for index, (site, calls) in loaded[model].items():
            if calls != file[model][index][1]:
                yield "site %d, %s of %s: %d calls, %d in the file" % (
                    index, site["kind"], site["name"], calls, file[model][index][1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("work")
    parser.add_argument("--preload", required=True)
    parser.add_argument("--seeds", metavar="A-B", default="1-20")
    parser.add_argument("--only", nargs="*", type=int, default=[], dest="chosen")
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS),
                        help="of processes; what each is compared with goes before it")
    for name in ("--behave", "--runtime"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--save", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--keep", action="store_true",
                        help="take the files that an earlier run made")
    arguments = parser.parse_args()
    if arguments.behave:
        return behave(arguments)

    os.makedirs(arguments.work, exist_ok=True)
    first, last = map(int, arguments.seeds.split("-"))
    seeds = arguments.chosen or list(range(first, last + 1))
    seen = {} if arguments.keep else {"scripted": make_files(arguments, seeds)}
    for kind in arguments.kinds:
        if kind not in seen:
            seen[kind] = seen_by(arguments, kind, seeds)
    failures, by_chance = [], 0
    if arguments.kinds == list(KINDS):
        failures += not_recorded(arguments, seen["loaded"])
    for kind in arguments.kinds:
        beside = KINDS[kind].beside
        for seed in seeds if beside else ():
            numbers = differing(seen[beside][seed], seen[kind][seed])
            stays = numbers and still_differing(arguments, kind, seed, numbers)
            by_chance += bool(numbers) and not stays
            if stays:
                failures.append("program %d, %s: calls %s differ" % (seed, kind, stays))
    for failure in failures:
        print("FAILED:", failure)
    calls = sum(seen[arguments.kinds[0]].values(), [])
    raised = [call for call in calls if isinstance(call, str) and "raised" in call]
    print("%d programs, %d calls, %d raised, %d differed by chance, %d failures" % (
        len(seeds), len(calls), len(raised), by_chance, len(failures)))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
