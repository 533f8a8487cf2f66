"""Random TorchScript programs: small modules of matrices of 8 columns, whose code is made
of what LibTorch rewrites, batches, unrolls, forks and differentiates.

program(SEED) is the text of a Python file with the module `Program`; the same seed gives
the same text. Its forward takes two matrices and a flag.
"""

import random

INDENT = "    "

HEAD = """\
from typing import List

import torch


def helper(x: torch.Tensor, w: torch.Tensor):
    return torch.tanh(torch.mm(x, w)) + torch.mm(x, w)


class Part(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.linear(x)) + x


class Program(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.w0, self.w1, self.w2 = [
            torch.nn.Parameter(torch.randn(8, 8) / 3) for _ in range(3)]
        self.parts = torch.nn.ModuleList([Part(), Part()])
        self.linear = torch.nn.Linear(8, 8)
        self.register_buffer("seen", torch.zeros(8))

    def method(self, a, b):
        return torch.mm(a, self.w2) * torch.sigmoid(torch.addmm(self.w1[0], b, self.w0))

    def forward(self, x: torch.Tensor, h: torch.Tensor, flag: bool):
        w0, w1, w2 = self.w0, self.w1, self.w2
"""

#: Of matrices {a} and {b} and a weight {w}; each is a matrix of the same size.
EXPRESSIONS = (
    "torch.mm({a}, {w})",
    "torch.mm({a}, {w}) + torch.mm({b}, w0)",
    "torch.matmul({a}, {w})",
    "torch.addmm({w}[0], {a}, {w})",
    "torch.addmm({b}, {a}, {w}, beta=0.5)",
    "torch.nn.functional.linear({a}, {w}, {w}[0])",
    "torch.bmm({a}.unsqueeze(0), {w}.unsqueeze(0)).squeeze(0)",
    "torch.einsum('ij,jk->ik', {a}, {w})",
    "self.linear({a})",
    "self.parts[0]({a})",
    "self.parts[1]({a})",
    "self.method({a}, {b})",
    "{a} + {b}",
    "{a} * {b}",
    "{a} / ({b}.abs() + 1.0)",
    "torch.sigmoid({a})",
    "torch.tanh({a})",
    "torch.relu({a})",
    "torch.nn.functional.gelu({a})",
    "torch.softmax({a}, dim=-1)",
    "torch.clamp({a}, -2.0, 2.0)",
    "torch.where({a} > 0, {a}, {b})",
    "{a} - {a}.mean(dim=1, keepdim=True)",
    "torch.nn.functional.layer_norm({a}, [8])",
    "torch.nn.functional.batch_norm({a}, {w}[0].detach(), {w}[1].detach().abs() + 1.0)",
    "torch.nn.functional.dropout({a}, 0.0, False)",
    "torch.cat([{a}, {b}], dim=1)[:, :8]",
    "torch.chunk({a}, 2, dim=1)[0].repeat(1, 2)",
    "torch.stack([{a}, {b}]).sum(0)",
    "{a}[:, ::2].repeat(1, 2)",
    "{a}.t().t()",
    "{a}.detach()",
)


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.names = 0

    def write(self, depth, text):
        self.lines.append(INDENT * depth + text)

    def name(self):
        self.names += 1
        return "v%d" % self.names

    def expression(self, values):
        pick = self.random.choice
        return pick(EXPRESSIONS).format(a=pick(values), b=pick(values),
                                        w=pick(("w0", "w1", "w2")))

    # Each statement gives its name a value, in terms of VALUES.

    def assign(self, name, values, depth):
        self.write(depth, "%s = %s" % (name, self.expression(values)))

    def repeat(self, name, values, depth):
        self.write(depth, "%s = %s" % (name, self.random.choice(values)))
        count = self.random.choice(("2", "3", "8", "int(x.size(0))"))
        self.write(depth, "for _ in range(%s):" % count)
        self.rest(name, self.block(values + [name], depth + 1), depth + 1)

    def repeat_while(self, name, values, depth):
        self.write(depth, "%s = %s" % (name, self.random.choice(values)))
        self.write(depth, "n%s = 0" % name)
        self.write(depth, "while n%s < 3 and bool(%s.sum() < 100):" % (name, name))
        self.write(depth + 1, "n%s += 1" % name)
        self.rest(name, self.block(values + [name], depth + 1), depth + 1)

    def branch(self, name, values, depth):
        self.write(depth, "if %s:" % self.random.choice((
            "flag", "x.size(0) > 3",
            "bool(%s.sum() > 0)" % self.random.choice(values))))
        self.rest(name, self.block(values, depth + 1), depth + 1)
        self.write(depth, "else:")
        self.rest(name, self.block(values, depth + 1), depth + 1)

    def gather(self, name, values, depth):
        self.write(depth, "l%s: List[torch.Tensor] = []" % name)
        self.write(depth, "for _ in range(3):")
        inner = self.block(values, depth + 1)
        self.write(depth + 1, "l%s.append(%s)" % (name, inner[-1]))
        self.write(depth, "%s = torch.stack(l%s).mean(0)" % (name, name))

    def change_in_place(self, name, values, depth):
        self.write(depth, "%s = %s.clone()" % (name, self.random.choice(values)))
        self.write(depth, "%s.%s(%s)" % (name, self.random.choice(("add_", "mul_")),
                                         self.random.choice(values)))

    def change_state(self, name, values, depth):
        self.write(depth, "self.seen += %s.detach().sum(0)" % self.random.choice(values))
        self.write(depth, "%s = %s + self.seen" % (name, self.random.choice(values)))

    def fork(self, name, values, depth):
        self.write(depth, "f%s = torch.jit.fork(helper, %s, w1)" % (
            name, self.random.choice(values)))
        self.write(depth, "%s = torch.jit.wait(f%s)" % (name, name))

    STATEMENTS = ((assign, 70), (repeat, 7), (repeat_while, 3), (branch, 9), (gather, 2),
                  (change_in_place, 4), (change_state, 2), (fork, 3))

    def rest(self, name, inner, depth):
        self.write(depth, "%s = %s" % (name, inner[-1]))

    def block(self, values, depth):
        """The values that there are behind it."""
        values = list(values)
        kinds, weights = zip(*self.STATEMENTS)
        for _ in range(self.random.randint(2, 5)):
            kind, = self.random.choices(kinds, weights)
            name = self.name()
            (kind if depth < 5 else Writer.assign)(self, name, values, depth)
            values.append(name)
        return values


def program(seed):
    writer = Writer(seed)
    values = writer.block(["x", "h"], 2)
    writer.write(2, "return %s, %s.sum()" % (values[-1], values[-2]))
    return HEAD + "\n".join(writer.lines) + "\n"
