"""Makes the small models of these tests: models.py FOLDER."""

import os
import sys

import torch
import torch.package

folder = sys.argv[1]


def save(module, name, **options):
    torch.jit.script(module).save(os.path.join(folder, name), **options)


class Simple(torch.nn.Module):
    def forward(self, x, n: int = 2):
        return torch.relu(x) * n


class Identity(torch.nn.Module):
    """Its result depends on where the module lies in memory."""

    def forward(self, x):
        place = torch.tensor([0.0, 1.0, 0.0], dtype=torch.float64)
        return x, [place * float(id(self))]


class Gradient(torch.nn.Module):
    """Its gradient depends on where the module lies in memory."""

    def forward(self, x):
        scaled = x * float(id(self) % 1000000)
        return scaled - scaled.detach() + x.detach()


class GradientInList(torch.nn.Module):
    """The same of the tensors in a list."""

    def forward(self, xs: list[torch.Tensor]):
        scaled = xs[1] * float(id(self) % 1000000)
        return scaled - scaled.detach() + xs[1].detach()


class Forces(torch.nn.Module):
    """Differentiates itself, as potentials of molecular dynamics do."""

    def forward(self, x):
        x = x.detach().requires_grad_(True)
        energy = torch.tanh(x * x).sum()
        forces = torch.autograd.grad([energy], [x])[0]
        assert forces is not None
        return energy.detach(), forces


class Potential(torch.nn.Module):
    """Returns an energy that it has differentiated: nobody can once more."""

    def forward(self, x):
        x = x.detach().requires_grad_(True)
        energy = torch.tanh(x * x).sum()
        forces = torch.autograd.grad([energy], [x])[0]
        assert forces is not None
        return energy, forces


class Freeing(torch.nn.Module):
    """Does so in every other call in a process, in the first one unless later."""

    def forward(self, x, later: bool):
        enabled = torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        x = x.detach().requires_grad_(True)
        energy = torch.tanh(x * x).sum()
        if enabled != later:
            forces = torch.autograd.grad([energy], [x])[0]
            assert forces is not None
        torch.set_grad_enabled(not enabled)
        return energy


class Uses(torch.nn.Module):
    """A gradient of several summands, whose order is LibTorch's choice."""

    def forward(self, x):
        x = x.detach().requires_grad_(True)
        y = torch.tanh(x) * 1.1
        z = y * y + torch.exp(y) * y + torch.sin(y) * torch.sigmoid(y)
        forces = torch.autograd.grad([z.sum()], [x])[0]
        assert forces is not None
        return forces


class Switching(torch.nn.Module):
    """Switches grad on for itself, whatever its host does."""

    def __init__(self):
        super().__init__()
        self.uses = Uses()

    def forward(self, x):
        torch.set_grad_enabled(True)
        forces = self.uses(x)
        torch.set_grad_enabled(False)
        return forces


class Steps(torch.nn.Module):
    """Counts its calls before it asks for gradients."""

    def __init__(self):
        super().__init__()
        self.steps = 0

    def forward(self, x):
        self.steps += 1
        forces = torch.autograd.grad([(x * x).sum()], [x])[0]
        assert forces is not None
        return forces * self.steps


class Later(torch.nn.Module):
    """Its result depends on where the module lies in memory, but for the first."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        if self.calls > 1:
            return x * float(id(self) % 1000003)
        return x * 2


class Weights(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = torch.nn.ParameterList([torch.rand(4, 4) for _ in range(2)])

    def forward(self, x):
        for weight in self.weights:
            x = torch.relu(torch.matmul(x, weight))
        return x


class Tied(torch.nn.Module):
    """A method reads a parameter of a submodule and calls nothing."""

    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(10, 4)

    @torch.jit.export
    def logits(self, x):
        return torch.matmul(torch.relu(x), self.embedding.weight.t())

    def forward(self, ids):
        return self.logits(self.embedding(ids))


@torch.jit.interface
class Layer(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Products(torch.nn.Module):
    """Many products with one matrix. Computed at once they are columns of one
    result, whose sums are rounded in another order."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        sums: list[torch.Tensor] = []
        for i in range(1, x.size(0)):
            sums.append(torch.mm(x[0], x[i]).sum())
        return torch.stack(sums)


class ThroughInterface(torch.nn.Module):
    layer: Layer

    def __init__(self):
        super().__init__()
        self.layer = Products()

    def forward(self, x):
        return self.layer.forward(x)


class ThroughPickled(torch.nn.Module):
    layer: Layer

    def __init__(self):
        super().__init__()
        self.layer = Pickled()

    def forward(self, x):
        return self.layer.forward(x)


class Forked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Products()

    def forward(self, x):
        return torch.jit.wait(torch.jit.fork(self.layer, x))


class Containers(torch.nn.Module):
    def forward(
        self,
        tensors: list[torch.Tensor],
        numbers: list[int],
        named: dict[str, torch.Tensor],
    ):
        for name, tensor in named.items():
            tensors.append(tensor)
        return [torch.relu(tensor) for tensor in tensors], sum(numbers)


class Toggling(torch.nn.Module):
    """Raises in every other call in a process, in the first one if first."""

    def forward(self, x, first: bool):
        if torch.is_grad_enabled() != first:
            torch.set_grad_enabled(first)
            raise RuntimeError("not this time")
        torch.set_grad_enabled(not first)
        return x


class Pickled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x)

    @torch.jit.export
    def __getstate__(self):
        return (1, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[int, bool]):
        self.training = state[1]


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Simple()

    def forward(self, x):
        return self.inner(x)


save(
    Simple(),
    "simple.pt",
    _extra_files={"config.json": '{"a": 1}', "more/data.bin": b"\x00\xff"},
)
save(Identity(), "identity.pt")
save(Gradient(), "gradient.pt")
save(GradientInList(), "gradient_in_list.pt")
save(Forces(), "forces.pt")
save(Potential(), "potential.pt")
save(Freeing(), "freeing.pt")
save(Uses(), "uses.pt")
save(Switching(), "switching.pt")
save(Steps(), "steps.pt")
save(Later(), "later.pt")
save(Weights(), "weights.pt")
save(Tied(), "tied.pt")
save(Containers(), "containers.pt")
save(ThroughInterface(), "through_interface.pt")
save(Forked(), "forked.pt")
torch.save(["a", "b"], os.path.join(folder, "strings.pt"))
save(Toggling(), "toggling.pt")
save(Pickled(), "pickled.pt")
save(ThroughPickled(), "through_pickled.pt")
torch.jit.optimize_for_inference(
    torch.jit.script(torch.nn.Sequential(torch.nn.Conv2d(1, 1, 1)).eval())
).save(os.path.join(folder, "optimized.pt"))
torch.save({"weight": torch.ones(2)}, os.path.join(folder, "state.pt"))
torch.package.package_exporter._gate_torchscript_serialization = False
with torch.package.PackageExporter(os.path.join(folder, "package.pt")) as package:
    package.save_pickle("model", "model.pkl", torch.jit.script(Simple()))

# What a module lowered to a backend has and no other: the backend's object.
lowered = torch.jit.script(Holder())
lowered.inner._c._register_attribute("__backend", torch._C.IntType.get(), 1)
lowered.save(os.path.join(folder, "lowered.pt"))
