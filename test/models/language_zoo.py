"""Small modules, one per feature of the TorchScript language.

Each is as short as its feature allows: two to six nodes that make tensors.
"""

from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F

from zoo import Call, Model

SMALL = "float[2,4]"


# --- control flow -----------------------------------------------------------


class IfElse(nn.Module):
    def forward(self, x, flag: bool):
        if flag:
            y = torch.relu(x)
        else:
            y = torch.sigmoid(torch.tanh(x))
        return y + 1


class TensorCondition(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            if bool(x.max() > 2):
                return torch.relu(x)
            return torch.tanh(x)
        return torch.neg(x)


class ForLoop(nn.Module):
    def forward(self, x, n: int):
        for i in range(n):
            x = torch.tanh(x + i)
        return x


class WhileLoop(nn.Module):
    def forward(self, x, n: int):
        i = 0
        while i < n:
            x = torch.relu(x) * 0.5
            i += 1
        return x


class NestedLoops(nn.Module):
    def forward(self, x, n: int):
        for i in range(n):
            for j in range(i):
                if j % 2 == 0:
                    x = torch.relu(x)
                else:
                    x = torch.tanh(x)
        return x


class EarlyExits(nn.Module):
    def forward(self, x, n: int):
        if n == 0:
            return x.clone()
        for i in range(10):
            if i == 1:
                continue
            if i >= n:
                break
            x = torch.tanh(x)
            if i == 7:
                return torch.relu(x)
        return x + 1


class Raises(nn.Module):
    def forward(self, x, fail: bool):
        y = torch.relu(x)
        if fail:
            raise ValueError("asked to fail")
        assert y.dim() == 2, "expected two dimensions"
        return torch.tanh(y)


# --- fork and wait ----------------------------------------------------------


def half(x):
    return torch.relu(x) * 0.5


def quarter(x):
    other = torch.jit.fork(half, x)
    mine = torch.tanh(x)
    return torch.jit.wait(other) + mine


class Fork(nn.Module):
    def forward(self, x):
        future = torch.jit.fork(half, x)
        y = torch.sigmoid(x)
        return torch.jit.wait(future) + y


class NestedFork(nn.Module):
    def forward(self, x):
        future = torch.jit.fork(quarter, x)
        y = quarter(x)
        return torch.jit.wait(future) + y


class ForkInLoop(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, n: int):
        futures: List[torch.jit.Future[torch.Tensor]] = []
        for _ in range(n):
            futures.append(torch.jit.fork(self.linear, x))
        y = x
        for future in futures:
            y = y + torch.jit.wait(future)
        return y


# --- calls ------------------------------------------------------------------


@torch.jit.interface
class Step(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Relu(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)


class Tanh(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x)


class Chain(nn.Module):
    """Calls itself through the interface, one level per link."""

    next: Step

    def __init__(self, following):
        super().__init__()
        self.next = following

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.next.forward(x))


class InterfaceCalls(nn.Module):
    first: Step

    def __init__(self):
        super().__init__()
        self.first = Relu()
        self.steps = nn.ModuleList([Relu(), Tanh()])

    def forward(self, x: torch.Tensor, n: int) -> torch.Tensor:
        x = self.first.forward(x)
        step: Step = self.steps[n]
        return step.forward(x)


class SharedModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(4, 4)
        self.decoder = self.encoder

    def forward(self, x):
        return self.decoder(torch.relu(self.encoder(self.encoder(x))))


class SeveralMethods(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.decode(self.encode(x))

    @torch.jit.export
    def encode(self, x):
        return torch.relu(self.linear(x))

    @torch.jit.export
    def decode(self, x):
        return torch.sigmoid(self.helper(x))

    def helper(self, x):
        return torch.tanh(x)


class DefaultArguments(nn.Module):
    def forward(self, x, scale: float = 2.0, name: Optional[str] = None):
        y = torch.relu(x) * scale
        if name is not None:
            y = y + len(name)
        return y


class NoForward(nn.Module):
    @torch.jit.export
    def transform(self, x):
        return torch.relu(x)


class NoMethod(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))


class HookedLinear(nn.Linear):
    pass


def add_one(self, input: Tuple[torch.Tensor]) -> Tuple[torch.Tensor]:
    return (input[0] + 1,)


def negate(self, input: Tuple[torch.Tensor],
           output: torch.Tensor) -> torch.Tensor:
    return torch.neg(output)


class SubmoduleHooks(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = HookedLinear(4, 4)
        self.linear.register_forward_pre_hook(add_one)
        self.linear.register_forward_hook(negate)

    def forward(self, x):
        return torch.relu(self.linear(x))


def with_root_hooks():
    module = SeveralMethods()
    module.register_forward_pre_hook(add_one)
    module.register_forward_hook(negate)
    return torch.jit.script(module.eval())


# --- values -----------------------------------------------------------------


class Pair(NamedTuple):
    left: torch.Tensor
    right: Optional[torch.Tensor]


class Containers(nn.Module):
    def forward(self, x, words: List[str]):
        table: Dict[str, torch.Tensor] = {}
        rows: List[torch.Tensor] = []
        for word in words:
            table[word] = torch.relu(x) + len(word)
            rows.append(table[word])
        best: Optional[torch.Tensor] = None
        if len(rows) > 1:
            best = torch.cat(rows)
        return table, rows, Pair(x.neg(), best), "%d rows" % len(rows)


class ContainerInputs(nn.Module):
    def forward(self, pair: Tuple[torch.Tensor, int],
                table: Dict[str, torch.Tensor]):
        x, n = pair
        for name in table.keys():
            x = x + table[name] * n
        return x


class Complex(nn.Module):
    def forward(self, x):
        z = torch.complex(x, x.neg())
        w = z * complex(0.5, -1.0)
        return torch.view_as_real(w), w.abs(), complex(1.0, float(x.size(0)))


class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64))

    def forward(self, x):
        self.calls += 1
        first = x[0]
        first.mul_(2.0)
        x.view(-1)[1:3].zero_()
        x.t_()
        return x.transpose(0, 1).relu_()


class Numbers(nn.Module):
    """Scalars only: no node makes a tensor, so only the method is timed."""

    def forward(self, a: int, b: float, s: str):
        return (a * 2 + len(s)) * b


class TorchBindObject(nn.Module):
    def __init__(self):
        super().__init__()
        torch.backends.quantized.engine = "qnnpack"
        weight = torch.quantize_per_tensor(torch.rand(3, 4), 0.1, 0,
                                           torch.qint8)
        self.packed = torch.ops.quantized.linear_prepack(weight, None)

    def forward(self, x):
        return torch.ops.quantized.linear_dynamic(torch.relu(x), self.packed)


# --- layers with a history --------------------------------------------------


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 8, num_layers=2, bidirectional=True)
        self.gru = nn.GRU(16, 4)

    def forward(self, x):
        y, _ = self.lstm(x)
        y, hidden = self.gru(y)
        return y, hidden


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)

    def forward(self, x):
        y, weights = self.attention(x, x, x)
        return self.norm(x + y), weights


class Regularized(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x):
        x = self.dropout(F.relu(self.norm(self.conv(x))))
        return F.dropout(x, 0.25, self.training)


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.EmbeddingBag(50, 4, mode="sum")
        self.linear = nn.Linear(4, 2)

    def forward(self, tokens):
        return torch.log_softmax(self.linear(self.embedding(tokens)), 1)


class Noise(nn.Module):
    def forward(self, x):
        return x + torch.randn_like(x) * torch.rand(1)


class HalfPrecision(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4, 4, dtype=torch.double))

    def forward(self, x):
        return torch.matmul(x.to(torch.double), self.weight).to(torch.half)


def script(factory, *arguments):
    return lambda: torch.jit.script(factory(*arguments).eval())


def trace(factory, *shape):
    return lambda: torch.jit.trace(factory().eval(), torch.rand(shape))


def quantize(factory):
    def make():
        torch.backends.quantized.engine = "qnnpack"
        return torch.jit.script(torch.quantization.quantize_dynamic(
            factory().eval(), {nn.Linear, nn.LSTM}, torch.qint8))

    return make


def calls(*inputs):
    return (Call(inputs),)


MODELS = (
    Model("if_else", script(IfElse),
          (Call((SMALL, "true")), Call((SMALL, "false")))),
    Model("tensor_condition", script(TensorCondition), calls(SMALL)),
    Model("for_loop", script(ForLoop),
          (Call((SMALL, "4")), Call((SMALL, "0")))),
    Model("while_loop", script(WhileLoop),
          (Call((SMALL, "3")), Call((SMALL, "0")))),
    Model("nested_loops", script(NestedLoops), calls(SMALL, "4")),
    Model("early_exits", script(EarlyExits),
          (Call((SMALL, "0")), Call((SMALL, "3")), Call((SMALL, "9")))),
    Model("raises", script(Raises),
          (Call((SMALL, "false")), Call((SMALL, "true"), raises=True),
           Call(("float[2,4,1]", "false"), raises=True))),
    Model("fork", script(Fork), calls(SMALL), ("asynchronous",)),
    Model("nested_fork", script(NestedFork), calls(SMALL),
          ("asynchronous",)),
    Model("fork_in_loop", script(ForkInLoop), calls(SMALL, "3"),
          ("asynchronous",)),
    Model("interface_calls", script(InterfaceCalls),
          (Call((SMALL, "0")), Call((SMALL, "1"))), ("interface",)),
    Model("interface_recursion", script(Chain, Chain(Chain(Relu()))),
          calls(SMALL), ("interface",)),
    Model("shared_module", script(SharedModule), calls(SMALL)),
    Model("several_methods", script(SeveralMethods),
          (Call((SMALL,)), Call((SMALL,), "encode"),
           Call((SMALL,), "decode"))),
    Model("default_arguments", script(DefaultArguments),
          (Call((SMALL,)), Call((SMALL, "3.0")),
           Call((SMALL, "3.0", "'abc'")))),
    Model("no_forward", script(NoForward), (Call((SMALL,), "transform"),)),
    Model("no_method", script(NoMethod), (), ("no-method",)),
    Model("submodule_hooks", script(SubmoduleHooks), calls(SMALL)),
    Model("root_hooks", with_root_hooks, calls(SMALL), ("hooks",)),
    Model("containers", script(Containers),
          (Call((SMALL, "['a', 'bc']")), Call((SMALL, "['abc']")))),
    Model("container_inputs", script(ContainerInputs),
          calls("@container_inputs.args.pt"),
          files=lambda: {"container_inputs.args.pt": (
              (torch.rand(2, 4), 3),
              {"a": torch.rand(2, 4), "b": torch.rand(4)})}),
    Model("complex", script(Complex), calls(SMALL)),
    Model("in_place", script(InPlace), calls("float[2,4]"), ("mutates",)),
    Model("numbers", script(Numbers), calls("3", "1.5", "'text'")),
    Model("torchbind_object", script(TorchBindObject), calls(SMALL),
          ("quantized",)),
    Model("lstm_root", script(nn.LSTM, 4, 8),
          (Call(("float[3,1,4]",), "forward__0"),)),
    Model("recurrent", script(Recurrent), calls("float[3,1,4]")),
    Model("recurrent_quantized", quantize(Recurrent), calls("float[3,1,4]"),
          ("quantized",)),
    Model("attention", script(Attention), calls("float[1,5,8]")),
    Model("regularized", script(Regularized), calls("float[2,3,8,8]")),
    Model("regularized_training",
          lambda: torch.jit.script(Regularized().train()),
          calls("float[2,3,8,8]"), ("training", "random")),
    Model("regularized_frozen",
          lambda: torch.jit.freeze(torch.jit.script(Regularized().eval())),
          calls("float[2,3,8,8]"), ("frozen",)),
    Model("regularized_traced", trace(Regularized, 2, 3, 8, 8),
          calls("float[2,3,8,8]"), ("traced",)),
    Model("traced_in_scripted",
          lambda: torch.jit.script(nn.Sequential(
              torch.jit.trace(nn.Linear(4, 4), torch.rand(2, 4)), nn.ReLU())),
          calls(SMALL), ("traced",)),
    Model("embedded", script(Embedded), calls("int64[2,6]{0:50}")),
    Model("noise", script(Noise), calls(SMALL), ("random",)),
    Model("half_precision", script(HalfPrecision), calls(SMALL)),
)
