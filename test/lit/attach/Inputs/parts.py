"""For tests of what LibTorch does beside nodes, in rows that are parts of others."""

import hashlib
import json


def check_sums(path, kind):
    """That a summary in JSON adds up, and what rows of the kind have is their own."""
    with open(path) as file:
        document = json.load(file)
    rows, footer = document["rows"], document["footer"]
    parts = [row for row in rows if row["kind"] == kind]
    assert all(row["self_ns"] == row["total_ns"] > 0 for row in parts), parts
    assert parts, rows
    total = footer["sum_of_nodes_ns"] + footer["unattributed_ns"]
    assert abs(total - footer["total_ns"]) < 1 + 1e-6 * total, footer
    assert "excess_ns" not in footer, footer


def print_digest(y, model, grad):
    """Of an output and, with grad, of the gradients of the parameters."""
    found = hashlib.sha256(y.detach().numpy().tobytes())
    if grad:
        model.zero_grad()
        y.sum().backward()
        for p in model.parameters():
            if p.grad is not None:
                found.update(p.grad.numpy().tobytes())
    print(found.hexdigest()[:16])
