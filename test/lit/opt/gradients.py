# Gradients of the instrumented model are those of the original, bit for bit,
# when both run without optimization; with it they agree up to rounding.

# UNSUPPORTED: asan, tsan
# RUN: rm -rf %t && mkdir -p %t
# RUN: torchprof-opt --quiet --instrument %models/regularized_training.pt -o %t/regularized.pt
# RUN: torchprof-opt --quiet --instrument --nodes=all %models/resnet18_training.pt -o %t/resnet18.pt
# RUN: env TORCHPROF=off %python -W ignore %s %runtime %models %t | FileCheck %s

import sys

import torch


def gradients(path, shape, optimized):
    """Outputs and gradients of three training steps, seeded alike."""
    model = torch.jit.load(path)
    found = []
    with torch.jit.optimized_execution(optimized):
        for step in range(3):
            torch.manual_seed(step)
            x = torch.rand(*shape, requires_grad=True)
            model.zero_grad()
            out = model(x)
            out.square().sum().backward()
            found += [out.detach(), x.grad]
            found += [p.grad for p in model.parameters() if p.grad is not None]
            found += [b.clone() for b in model.buffers()]
    return found


if __name__ == "__main__":
    runtime, originals, instrumented = sys.argv[1:4]
    torch.ops.load_library(runtime)
    for name, shape in (
        ("regularized", (2, 3, 8, 8)),
        ("resnet18", (2, 3, 64, 64)),
    ):
        paths = (
            "%s/%s_training.pt" % (originals, name),
            "%s/%s.pt" % (instrumented, name),
        )
        for optimized in (False, True):
            a, b = (gradients(path, shape, optimized) for path in paths)
            assert len(a) == len(b) > 6
            same = all(torch.equal(x, y) for x, y in zip(a, b))
            near = all(torch.allclose(x, y, 1e-3, 1e-4) for x, y in zip(a, b))
            print(name, "optimized" if optimized else "plain", len(a) > 6,
                  "equal" if same else "near" if near else "different")
# CHECK: regularized plain True equal
# CHECK: regularized optimized True {{equal|near}}
# CHECK: resnet18 plain True equal
# CHECK: resnet18 optimized True {{equal|near}}
