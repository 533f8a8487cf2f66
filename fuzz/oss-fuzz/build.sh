#!/bin/bash -eu
# Builds what needs neither LLVM nor LibTorch, as OSS-Fuzz calls it: with SRC, WORK
# and OUT, the compilers and their flags, and LIB_FUZZING_ENGINE.
# `scripts/fuzz --oss-fuzz` does the same here.

build=$WORK/torchprof
# CXXFLAGS have the sanitizer of this build; CMake must not add its own.
cmake -G Ninja -S "$SRC/torchprof" -B "$build" -DCMAKE_BUILD_TYPE=None \
  -DTORCHPROF_FUZZ=ON -DTORCHPROF_FUZZ_FLAGS=OFF -DTORCHPROF_BUILD_TESTS=OFF \
  -DTORCHPROF_WITH_LIBTORCH=OFF -DTORCHPROF_BUILD_TOOLS=OFF
cmake --build "$build" --target fuzzers

for fuzzer in manifest options input-spec; do
  cp "$build/bin/$fuzzer-fuzzer" "$OUT/"
  zip -q -j "$OUT/$fuzzer-fuzzer_seed_corpus.zip" \
    "$SRC/torchprof/fuzz/corpus/$fuzzer"/*
done
