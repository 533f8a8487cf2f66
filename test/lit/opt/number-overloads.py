"""The keys of the report know which kinds of operators take tensors or numbers."""
# RUN: %python %s %source/tools/torchprof-report/Report/NumberOverloads.def | FileCheck %s
# CHECK: not among the rows: []
# CHECK: not in LibTorch: []

import re
import sys

import torch

# As isOfNumbers() of SiteKey.cpp has them.
WORDS = {"int", "float", "complex", "bool", "str", "to", "list"}


def makes(schema, pattern):
    """Whether the type of a result, or of what is changed, has such a name in it."""
    types = [result.type for result in schema.returns]
    types += [argument.type for argument in schema.arguments
              if argument.alias_info and argument.alias_info.is_write]
    return any(re.search(pattern, str(type)) for type in types)


with open(sys.argv[1], encoding="utf-8") as table:
    rows = set(re.findall(r'^NUMBER_OVERLOADS\("(.*)"\)$', table.read(), re.M))
tensors, numbers, unclear = set(), set(), set()
for schema in torch._C._jit_get_all_schemas():
    is_tensors = makes(schema, r"\bTensor\b")
    if is_tensors:
        tensors.add(schema.name)
    if WORDS.issuperset(schema.overload_name.split("_")):
        # A type variable may stand for tensors.
        is_unclear = is_tensors or makes(schema, r"\bt(Val)?\b")
        (unclear if is_unclear else numbers).add(schema.name)
either = (tensors & numbers) - unclear
print("not among the rows:", sorted(either - rows))
print("not in LibTorch:", sorted(rows - either))
