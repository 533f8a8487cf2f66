"""Under autocast LibTorch casts the inputs of some nodes before them, their weights at each
call: the casts are a part of the node, as where a host calls the operator, and so are their
gradients."""
# RUN: rm -f %t*.tprof && %python -W ignore %s > %t.alone
# RUN: env LD_PRELOAD=%build/lib/libtorchprof_preload.so TORCHPROF_FILE=%t.tprof \
# RUN:   TORCHPROF_RECORD=shapes,ops %python -W ignore %s > %t.attached
# RUN: diff %t.alone %t.attached
# RUN: torchprof-report check %t.tprof
# RUN: torchprof-report summary %t.tprof | FileCheck %s
# RUN: torchprof-report summary %t.tprof --format=csv --limit=0 \
# RUN:   --columns=kind,name,model,shapes,calls,flops | FileCheck %s --check-prefix=ROWS \
# RUN:   --implicit-check-not='_autocast_to_reduced_precision of forward'
# RUN: torchprof-report summary %t.tprof --ops --format=csv --limit=0 \
# RUN:   --columns=kind,name,model,calls | FileCheck %s --check-prefix=OPS
# UNSUPPORTED: asan, tsan
# CHECK-DAG: aten::linear linear in layer of Infer measures these nodes together: aten::_autocast_to_reduced_precision, aten::linear
# CHECK-DAG: aten::linear linear in layer of Train measures these nodes together: aten::_autocast_to_reduced_precision, aten::linear
# CHECK-DAG: aten::layer_norm layer_norm in norm of Infer measures these nodes together: aten::_autocast_to_full_precision, aten::layer_norm
#
# Each call is one span, with the operands as they are before the casts.
# ROWS-DAG: aten::linear,linear,Infer,"[4,8] [16,8] [16]",6,6144
# ROWS-DAG: aten::linear,linear,Train,"[4,8] [16,8] [16]",6,6144
# ROWS-DAG: aten::layer_norm,layer_norm,Infer,"[4,16] [16] [16]",6,0
# Two gradients of casts, the weight's and the bias's, are one span.
# ROWS-DAG: backward,aten::linear of linear,Train,,5,
# ROWS-DAG: backward,aten::_autocast_to_reduced_precision of linear,Train,,{{[5-9]|10}},
#
# OPS-DAG: aten::_autocast_to_reduced_precision,in aten::linear,Infer,18

import hashlib

import torch

torch.manual_seed(0)
torch.set_num_threads(1)


class Infer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 16)
        self.norm = torch.nn.LayerNorm(16)

    def forward(self, x):
        return self.norm(self.layer(x))


class Train(Infer):
    pass


for make in (Infer, Train):
    model = torch.jit.script(make())
    for _ in range(6):
        with torch.set_grad_enabled(make is Train):
            with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
                y = model(torch.rand(4, 8))
            results = [y]
            if make is Train:
                (y * y).sum().backward()
                results += [p.grad for p in model.parameters()]
        print(*[hashlib.sha256(r.detach().float().numpy().tobytes()).hexdigest()[:16]
                for r in results])
