//===- Options.cpp - torchprof-opt's options ------------------------------===//

#include "Actions.h"

namespace torchprof::options {

using namespace llvm;

cl::OptionCategory Category("torchprof-opt options");

cl::opt<std::string> Input(cl::Positional, cl::desc("FILE"), cl::cat(Category));
cl::opt<std::string> Output("o", cl::desc("File to write"),
                            cl::value_desc("file"), cl::cat(Category));
cl::opt<bool> Force("force",
                    cl::desc("Also replace a file that is not a model"),
                    cl::cat(Category));

cl::opt<bool> Instrument("instrument",
                         cl::desc("Put probes into a model (.pt)"),
                         cl::cat(Category));
cl::opt<bool> Strip("strip", cl::desc("Remove the probes from a model"),
                    cl::cat(Category));
cl::opt<bool> Check("check",
                    cl::desc("Check a model's probes against its manifest"),
                    cl::cat(Category));
cl::opt<bool> PrintSites("print-sites",
                         cl::desc("Print the sites of a model as a tree"),
                         cl::cat(Category));
cl::opt<std::string> Passes("passes",
                            cl::desc("Run passes over graphs in text form"),
                            cl::Hidden, cl::value_desc("pass,pass..."),
                            cl::cat(Category));
cl::opt<bool> ListPasses("list-passes", cl::desc("List the passes"), cl::Hidden,
                         cl::cat(Category));

cl::opt<NodesValue>
    Nodes("nodes", cl::desc("Which nodes get probes"),
          cl::values(clEnumValN(NodesValue::Default, "default",
                                "operators that produce or mutate tensors, "
                                "calls, fork and wait, print and warn,\n"
                                "operators outside aten and prim, and control "
                                "flow that contains these"),
                     clEnumValN(NodesValue::All, "all",
                                "also sizes, dtypes and scalar arithmetic")),
          cl::init(NodesValue::Default), cl::cat(Category));
cl::opt<LevelValue>
    Level("granularity", cl::desc("What one pair of probes measures"),
          cl::values(clEnumValN(LevelValue::Op, "op", "one node"),
                     clEnumValN(LevelValue::Module, "module",
                                "one call of a module")),
          cl::init(LevelValue::Op), cl::cat(Category));
cl::list<std::string>
    Include("include", cl::desc("Only sites whose kind or module path matches"),
            cl::value_desc("glob,..."), cl::CommaSeparated, cl::cat(Category));
cl::list<std::string>
    Exclude("exclude", cl::desc("No sites whose kind or module path matches"),
            cl::value_desc("glob,..."), cl::CommaSeparated, cl::cat(Category));
cl::list<std::string> Methods("methods", cl::desc("Only these methods"),
                              cl::value_desc("name"), cl::CommaSeparated,
                              cl::cat(Category));
cl::opt<FormatValue>
    Format("format", cl::desc("Output of --print-sites"), cl::Hidden,
           cl::values(clEnumValN(FormatValue::Text, "text", "a tree"),
                      clEnumValN(FormatValue::Json, "json", "one object")),
           cl::init(FormatValue::Text), cl::cat(Category));

cl::list<std::string> Verify(
    "verify",
    cl::desc("Compare with the original on the --input options that follow"),
    cl::value_desc("method"), cl::ValueOptional, cl::cat(Category));
cl::list<std::string> Inputs("input",
                             cl::desc("An argument of the method to verify"),
                             cl::value_desc("spec"), cl::cat(Category));
cl::opt<bool> Grad("grad",
                   cl::desc("Verify with gradients, and compare them too"),
                   cl::cat(Category));

cl::list<std::string> Libraries("load",
                                cl::desc("Load a library that the model needs"),
                                cl::Hidden, cl::value_desc("lib.so"),
                                cl::cat(Category));
cl::opt<std::string> MapDevice("map-device",
                               cl::desc("Move the model to this device"),
                               cl::Hidden, cl::value_desc("device"),
                               cl::cat(Category));
cl::opt<bool> Quiet("quiet", cl::desc("Print nothing but errors"),
                    cl::cat(Category));
cl::opt<bool> TimePasses("time-passes",
                         cl::desc("Print how long each step took"), cl::Hidden,
                         cl::cat(Category));
cl::opt<bool> Verbose("verbose", cl::desc("Print each skipped node and why"),
                      cl::cat(Category));

} // namespace torchprof::options
