"""How lit runs the tests in this folder.

Tools are found by name on PATH: torchprof-opt, torchprof-run and
torchprof-report from the build tree, FileCheck, not, count and split-file
from LLVM. Substitutions:

  %readers       the Python with published readers of exported files
  %wheels        folder of what pip needs to build a wheel
  %python        the Python that imports the torch this tree is built with
  %model-python  the Python that imports torchvision (it makes models)
  %runtime       libtorchprof_runtime.so
  %models        folder of the generated models, see test/models/make.py
  %source        root of the sources, %build  root of the build tree
  %cxx %cmake    the compiler and the cmake that made this tree
  %torch-lib     folder of LibTorch's libraries

Features: torch-1.13, torch-2.13 and so on (major.minor of LibTorch), the processor
(x86_64), chromium, npm, readers, dpkg, compilers that worked when the tree was
configured (javac, gfortran, rustc), asan, tsan.
"""

import os
import shutil

import lit.formats

config.name = "torchprof"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".ir", ".py"]
config.excludes = ["Inputs", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.torchprof_exec_root

config.environment["PATH"] = os.pathsep.join(
    [config.torchprof_tools, config.llvm_tools, os.environ.get("PATH", "")]
)
# Tests that compile a program compile the same one every time.
if shutil.which("ccache"):
    config.environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    for name in ("HOME", "CCACHE_DIR"):
        if name in os.environ:
            config.environment[name] = os.environ[name]
# A test decides by itself where a profile goes and which language is spoken.
config.environment["LC_ALL"] = "C.UTF-8"
config.environment["OMP_NUM_THREADS"] = "2"
# Threads that wait by spinning take the processors from the other tests.
config.environment["OMP_WAIT_POLICY"] = "PASSIVE"
config.environment["PYTHONPATH"] = os.path.join(
    config.torchprof_build, "python"
)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

for name, value in (
    # Longer names first: substitutions are applied in this order.
    ("%model-python", config.torchprof_model_python),
    ("%models", config.torchprof_models),
    ("%wheels", os.path.join(config.torchprof_readers, "wheels")),
    ("%readers", os.path.join(config.torchprof_readers, "bin", "python3")),
    ("%python", config.torchprof_python),
    ("%runtime", config.torchprof_runtime),
    ("%source", config.torchprof_source),
    ("%build", config.torchprof_build),
    ("%cxx", config.torchprof_cxx),
    ("%cmake", config.torchprof_cmake),
    ("%torch-lib", config.libtorch_library_dir),
    ("%{path}", config.environment["PATH"]),
):
    boundary = "" if name.endswith("}") else r"\b"
    config.substitutions.append((name + boundary, value))

major, minor = config.libtorch_version.split(".")[:2]
config.available_features.add("torch-%s.%s" % (major, minor))
config.available_features.add(config.target_processor)
for program in ("chromium", "npm"):
    if shutil.which(program):
        config.available_features.add(program)
config.available_features.update(filter(None, config.torchprof_compilers))
if os.path.exists(os.path.join(config.torchprof_readers, "bin", "python3")):
    config.available_features.add("readers")
if shutil.which("dpkg-shlibdeps") and shutil.which("file"):
    config.available_features.add("dpkg")  # packages can be made
for sanitizer, feature in (("address", "asan"), ("thread", "tsan")):
    if sanitizer in config.torchprof_sanitize:
        config.available_features.add(feature)
