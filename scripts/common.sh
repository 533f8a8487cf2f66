# Sourced by the scripts beside it: chooses a LibTorch, installs what is missing,
# builds. Each step does nothing when there is nothing to do.

set -euo pipefail
unset CDPATH # with a user's, `cd` may go elsewhere and prints where
umask 022    # what root installs or packages is for every user

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
self=$(basename "$0")
vision_version=0.28.0 # of the torchvision for TORCHPROF_TORCH=pip, for the bench
perfetto_version=0.59.1 # of the published trace format that tests read with
builder_version=1.1.2 # of scikit-build-core, what pip builds wheels with
mkdocs_version=1.6.1 # makes a site of docs/

say() { printf '%s: %s\n' "$self" "$*"; }
die() {
  printf '%s: error: %s\n' "$self" "$*" >&2
  exit 2
}

# Runs a command with its output in a log; shows the end of it on failure.
# Addresses of package registries are cut out of what is shown.
logged() { # LOG COMMAND...
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" | sed -E 's#[a-z]+://[^[:space:]]+#(address)#g' >&2
    return 1
  fi
}

# --- versions ---------------------------------------------------------------

# The rows of versions.txt whose columns have the values that are given (`.` for
# any), as they stand there.
versions() { # VERSION FROM CI
  awk -v version="$1" -v from="$2" -v ci="$3" '
    function is(value, wanted) { return wanted == "." || value == wanted }
    !/^#/ && NF && is($1, version) && is($2, from) && is($3, ci)' \
    "$root/scripts/versions.txt"
}

# --- packages ---------------------------------------------------------------

# Who the packages are for, see packages.txt; a script names what it does.
needs=(build)

# The packages of packages.txt that are for USER, one per line.
packages_for() { # USER
  awk -v user="$1" '!/^#/ && ("," $3 ",") ~ ("," user ",") { print $1 }' \
    "$root/scripts/packages.txt"
}

# Names on standard output, one per line.
missing_packages() {
  local package command users reason status need wanted
  while read -r package command users reason; do
    case $package in '' | '#'*) continue ;; esac
    wanted=
    for need in "${needs[@]}"; do
      case ,$users, in *,"$need",*) wanted=1 ;; esac
    done
    [ -n "$wanted" ] || continue
    if [ "$command" != - ] && command -v "$command" >/dev/null; then
      continue
    fi
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) ||
      true
    [ "$status" = installed ] || printf '%s\n' "$package"
  done <"$root/scripts/packages.txt"
}

install_packages() {
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
    die "this machine has neither apt-get nor dpkg, as Debian 12 does;" \
      "install what scripts/packages.txt lists and call cmake yourself"
  local missing as_root=()
  missing=$(missing_packages | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "these packages are missing and there is neither root nor sudo to" \
        "install them: $missing"
    as_root=(sudo --preserve-env=DEBIAN_FRONTEND)
  fi
  export DEBIAN_FRONTEND=noninteractive
  say "installing packages (minutes the first time): $missing"
  logged "$root/build/apt-update.log" "${as_root[@]}" apt-get -q update ||
    say "warning: apt-get update failed; trying with the lists that are here"
  # shellcheck disable=SC2086 # a list of words
  logged "$root/build/apt-install.log" "${as_root[@]}" apt-get -q -y install \
    --no-install-recommends $missing ||
    die "could not install packages; the whole log: build/apt-install.log"
}

# --- LibTorch ---------------------------------------------------------------

# Sets `torch` to what CMake is told, `build` to the directory to build in and
# `pip_version` to the wheel to install, if any: each LibTorch has its own
# directory, so that changing it rebuilds nothing. Call it
# before install_packages, which installs Debian's LibTorch only for `system`.
choose_torch() {
  pip_version=
  local wanted=${TORCHPROF_TORCH:-}
  if [ -z "$wanted" ] && ! prefix_path_has_torch && ! python_has_other_torch; then
    wanted=system
  fi
  case $wanted in
  '')
    torch= build=$root/build/found-$(printf '%s' \
      "${CMAKE_PREFIX_PATH:-}:$(command -v python3)" | cksum | cut -d' ' -f1)
    say "LibTorch: whichever CMake finds (CMAKE_PREFIX_PATH, then python3)"
    ;;
  system)
    torch=system build=$root/build/system needs+=(system)
    say "LibTorch: Debian's libtorch-dev"
    ;;
  pip)
    read -r pip_version _ <<<"$(versions . pip ci)"
    torch=$root/build/venv-$pip_version build=$root/build/pip needs+=(pip)
    say "LibTorch: PyPI's torch==$pip_version"
    ;;
  torch==*)
    pip_version=${wanted#torch==}
    torch=$root/build/venv-$pip_version needs+=(pip)
    build=$root/build/torch-$pip_version
    say "LibTorch: PyPI's torch==$pip_version"
    ;;
  *)
    [ -d "$wanted" ] ||
      die "TORCHPROF_TORCH: expected system, pip, torch==VERSION or the" \
        "directory of a LibTorch, found '$wanted'"
    torch=$(cd "$wanted" && pwd)
    build=$root/build/path-$(printf '%s' "$torch" | cksum | cut -d' ' -f1)
    say "LibTorch: $torch"
    ;;
  esac
}

# Whether a prefix of CMAKE_PREFIX_PATH has a LibTorch where cmake/FindLibTorch.cmake
# looks, another than Debian's. Most have none: a shell for ROS or Spack sets it.
prefix_path_has_torch() {
  local prefixes prefix library
  IFS=: read -ra prefixes <<<"${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}"; do
    case $prefix in '' | /usr | /usr/) continue ;; esac
    for library in "$prefix"/lib/{,*-linux-gnu*/}libtorch_cpu.so; do
      [ ! -e "$library" ] || return 0
    done
  done
  return 1
}

# Whether the python3 on PATH has another torch than Debian's, which is `system`.
# That one is not imported to find out: it would take a second or two.
python_has_other_torch() {
  python3 - >/dev/null 2>&1 <<'END'
import importlib.util, sys
place = importlib.util.find_spec("torch").origin
if place.startswith("/usr/lib/python3/dist-packages/"):
    sys.exit(1)
import torch
END
}

# A virtual environment with the wheel; its libraries are what is linked.
install_wheel() {
  [ -n "$pip_version" ] || return 0
  local done_mark=$torch/.torchprof-$pip_version numpy
  numpy=$(versions "$pip_version" pip . | awk '{ print $4 }')
  [ ! -e "$done_mark" ] || return 0
  say "installing torch==$pip_version into ${torch#"$root"/} (minutes the" \
    "first time)"
  rm -rf "$torch"
  logged "$root/build/pip.log" /usr/bin/python3 -m venv "$torch" ||
    die "could not make a virtual environment; the whole log: build/pip.log"
  logged "$root/build/pip.log" "$torch/bin/python3" -m pip install \
    --no-input "torch==$pip_version" "${numpy:-numpy}" ||
    die "could not install torch==$pip_version; the whole log: build/pip.log"
  touch "$done_mark"
}

# Eager models that the bench compares with; without them it reports them as
# absent.
install_vision() {
  [ "${TORCHPROF_TORCH:-}" = pip ] || return 0
  local directory=$root/build/vision-$pip_version
  [ ! -e "$directory" ] || return 0
  say "installing torchvision==$vision_version into ${directory#"$root"/}"
  rm -rf "$directory.part"
  logged "$root/build/vision.log" "$torch/bin/python3" -m pip install \
    --no-input --no-deps --target "$directory.part" \
    "torchvision==$vision_version" pillow && mv "$directory.part" "$directory" ||
    say "warning: could not install torchvision; the whole log:" \
      "build/vision.log"
}

# Readers of exported files and of the documentation, which Debian does not package,
# and in wheels/ what pip needs to build a wheel without a network.
install_readers() {
  local readers=$root/build/readers
  local done_mark=$readers/.torchprof-$perfetto_version-$builder_version-$mkdocs_version
  [ ! -e "$done_mark" ] || return 0
  say "installing perfetto==$perfetto_version into ${readers#"$root"/}"
  rm -rf "$readers"
  logged "$root/build/readers.log" /usr/bin/python3 -m venv "$readers" &&
    logged "$root/build/readers.log" "$readers/bin/python3" -m pip install \
      --no-input "perfetto==$perfetto_version" protobuf \
      "mkdocs==$mkdocs_version" &&
    logged "$root/build/readers.log" "$readers/bin/python3" -m pip download \
      --no-input --dest "$readers/wheels" \
      "scikit-build-core==$builder_version" ||
    die "could not install perfetto, mkdocs and scikit-build-core; the whole" \
      "log: build/readers.log"
  touch "$done_mark"
}

# --- build ------------------------------------------------------------------

# With paths relative to the build directory, ccache takes what was compiled for
# one LibTorch for another one, and what another clone has compiled.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root}

# A translation unit with LibTorch's headers takes up to 2 GB, so memory limits
# the number of jobs too.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 2000000) }' /proc/meminfo)
  [ "${memory:-1}" -ge 1 ] || memory=1
  echo $((cores < memory ? cores : memory))
}

# Whether the build directory is there and was made for what is needed now and for
# the LibTorch that lies there now: CMake looks when it configures, and only then.
is_configured() {
  local library_and_id notes
  [ -e "$build/build.ninja" ] || return 1
  case " ${needs[*]} " in
  *' page '* | *' test '*)
    ! grep -q '^NPM_EXECUTABLE:.*-NOTFOUND$' "$build/CMakeCache.txt" || return 1
    ;;
  esac
  library_and_id=$(sed -n 's/^LibTorch_SEEN:INTERNAL=//p' "$build/CMakeCache.txt")
  if [ -n "$library_and_id" ]; then
    notes=$(LC_ALL=C readelf --notes "${library_and_id%=*}" 2>/dev/null) || return 1
    case ${library_and_id##*=} in
    no-build-id) [[ $notes != *"Build ID: "* ]] || return 1 ;;
    *) [[ $notes == *"Build ID: ${library_and_id##*=}"* ]] || return 1 ;;
    esac
  fi
  [ "$tests" = OFF ] ||
    grep -q '^TORCHPROF_BUILD_TESTS:BOOL=ON$' "$build/CMakeCache.txt"
}

configure() { # CMAKE-ARGS...
  local launcher=() tests=OFF
  case " ${needs[*]} " in *' test '*) tests=ON ;; esac
  ! is_configured || return 0
  if [ -n "${CMAKE_CXX_COMPILER_LAUNCHER:-}" ]; then
    launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=$CMAKE_CXX_COMPILER_LAUNCHER")
  elif command -v ccache >/dev/null; then
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  say "configuring ${build#"$root"/}"
  logged "$build/configure.log" cmake -G Ninja -S "$root" -B "$build" \
    -DCMAKE_BUILD_TYPE=Release "-DTORCHPROF_TORCH=$torch" \
    "-DTORCHPROF_BUILD_TESTS=$tests" \
    "-DTORCHPROF_TEST_MODELS=$root/build/models" \
    "-DTORCHPROF_TEST_READERS=$root/build/readers" "${launcher[@]}" "$@" ||
    die "cmake failed; the whole log: ${build#"$root"/}/configure.log"
}

configure_sanitized() { # CMAKE-ARGS...
  configure -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-g1 -O1" "$@"
}

# Configures a tree for the address and undefined behaviour sanitizers: for tests
# and for fuzzers, which are made of the same objects.
configure_fuzzers() {
  grep -q '^TORCHPROF_FUZZ:BOOL=ON$' "$build/CMakeCache.txt" 2>/dev/null ||
    rm -f "$build/build.ninja"
  configure_sanitized -DTORCHPROF_FUZZ=ON
}

build_all() {
  say "building in ${build#"$root"/}"
  cmake --build "$build" --parallel "$(jobs)" ||
    die "the build failed"
}

# The test lit/bench/smoke.test runs the bench briefly.
build_bench() {
  install_vision
  say "building the bench in ${build#"$root"/}"
  cmake --build "$build" --parallel "$(jobs)" --target bench ||
    die "the build of the bench failed"
}

install_and_build() {
  choose_torch
  install_packages
  install_wheel
  configure
  build_all
}
