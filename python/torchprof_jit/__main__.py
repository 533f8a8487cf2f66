"""`python3 -m torchprof_jit` is torchprof."""

from ._commands import torchprof

if __name__ == "__main__":
    torchprof()
