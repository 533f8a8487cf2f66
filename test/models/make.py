#!/usr/bin/env python3
"""Makes the models that tests and the demo use.

  make.py --list [--json]         what there is
  make.py NAME -o FILE.pt         one model, random weights from seed 0
  make.py --all --folder FOLDER   all of them and an index, zoo.json

Models that are there already and were made by the same generator are kept;
a call that finds them all does not import torch.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INDEX = "zoo.json"
CHECKER = "check_zoo.py"  # makes nothing


def fingerprint():
    """Changes whenever a made model may: the generator's text and Python."""
    digest = hashlib.sha256(sys.version.encode())
    for name in sorted(os.listdir(HERE)):
        if name == "make.py" or name.endswith("zoo.py") and name != CHECKER:
            with open(os.path.join(HERE, name), "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


def is_current(stamp, mark):
    try:
        with open(stamp) as file:
            return file.read() == mark
    except OSError:
        return False


def write_whole(path, write):
    """Calls write(temporary name), then renames: readers see all or nothing."""
    folder = os.path.dirname(path) or "."
    handle, temporary = tempfile.mkstemp(dir=folder, suffix=".part")
    os.close(handle)
    try:
        write(temporary)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_text(path, text):
    def write(name):
        with open(name, "w") as file:
            file.write(text)

    write_whole(path, write)


def make(model, path):
    import torch

    torch.manual_seed(0)
    module = model.make()
    write_whole(path, lambda name: torch.jit.save(module, name))
    for name, value in model.files().items():
        beside = os.path.join(os.path.dirname(path) or ".", name)
        write_whole(beside, lambda part: torch.save(value, part))


def describe(table):
    return [
        {
            "name": model.name,
            "group": group,
            "properties": list(model.properties),
            "calls": [
                {
                    "method": call.method,
                    "inputs": list(call.inputs),
                    "raises": call.raises,
                }
                for call in model.calls
            ],
        }
        for group, models in table.items()
        for model in models
    ]


def find(table, name):
    for models in table.values():
        for model in models:
            if model.name == name:
                return model
    sys.exit("make.py: error: unknown model '%s'; see make.py --list" % name)


def make_all(folder):
    os.makedirs(folder, exist_ok=True)
    mark = fingerprint()
    stamp = os.path.join(folder, "stamp")
    if is_current(stamp, mark):
        return
    import zoo

    table = zoo.table()
    for models in table.values():
        for model in models:
            print("making", model.name, flush=True)
            make(model, os.path.join(folder, model.name + ".pt"))
    index = json.dumps(describe(table), indent=1) + "\n"
    write_text(os.path.join(folder, INDEX), index)
    write_text(stamp, mark)


def make_one(name, path):
    mark = fingerprint() + " " + name
    stamp = path + ".stamp"
    if os.path.exists(path) and is_current(stamp, mark):
        return
    import zoo

    make(find(zoo.table(), name), path)
    write_text(stamp, mark)


def show(as_json):
    import zoo

    entries = describe(zoo.table())
    if as_json:
        print(json.dumps(entries, indent=1))
        return
    for entry in entries:
        calls = "; ".join(
            " ".join([call["method"]] + call["inputs"])
            for call in entry["calls"]
        )
        words = [entry["group"], entry["name"], calls]
        print("  ".join(words + [", ".join(entry["properties"])]).rstrip())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", help="model to make")
    parser.add_argument("-o", metavar="FILE.pt", dest="output")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--folder", help="where --all writes")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    sys.path.insert(0, HERE)
    if arguments.list:
        show(arguments.json)
    elif arguments.all and arguments.folder:
        make_all(arguments.folder)
    elif arguments.name and arguments.output:
        make_one(arguments.name, arguments.output)
    else:
        parser.error("expected --list, --all --folder FOLDER or NAME -o FILE")


if __name__ == "__main__":
    main()
