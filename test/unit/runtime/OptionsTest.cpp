//===- OptionsTest.cpp - environment and options --------------------------===//

#include "Options.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <vector>

using namespace torchprof;

namespace {
struct Parsed {
  Options Opts;
  std::string Warnings;
};
} // namespace

/// A row of docs/runtime-options.md.
static std::string optionRow(const std::string &Name,
                             const std::string &Default,
                             const std::string &Allowed,
                             const std::string &Help) {
  return "| `" + environmentName(Name) + "` | `" + Name + "` | " +
         (Default.empty() ? "none" : "`" + Default + "`") + " | " + Allowed +
         " | " + Help + ". |\n";
}

/// What docs/runtime-options.md must be.
static std::string optionsPage() {
  std::string Text =
      "# Options of the runtime\n\n"
      "<!-- Made from runtime/lib/Options.def; UPDATE_DOCS=1 and the test\n"
      "Options.DocumentationIsMadeFromTheTable rewrite it. -->\n\n"
      "Each option is an environment variable, read once: when the first model "
      "is\nloaded, at the first probe or at the first call of the interface. "
      "The host may\nset the same options with "
      "`torchprof_set_option(name, value)`, which wins.\nAn unknown "
      "`TORCHPROF_` variable or a value that is not allowed is one warning\n"
      "line, and the default stays. `TORCHPROF=help` prints this list and "
      "records as\nusual. Switches also take `1`, `0`, `true` and `false`.\n\n"
      "| Variable | Name | Default | Allowed | Meaning |\n"
      "| --- | --- | --- | --- | --- |\n";
#define TORCHPROF_OPTION(TYPE, NAME, MEMBER, DEFAULT, ALLOWED, HELP)           \
  Text += optionRow(#NAME, DEFAULT, ALLOWED, HELP);
#include "Options.def"
  return Text;
}

static Parsed parse(std::vector<const char *> Environment) {
  Parsed Result;
  Environment.push_back(nullptr);
  testing::internal::CaptureStderr();
  Result.Opts.readEnvironment(Environment.data());
  Result.Warnings = testing::internal::GetCapturedStderr();
  return Result;
}

TEST(Options, EnvironmentSetsThem) {
  Parsed P =
      parse({"TORCHPROF=off", "TORCHPROF_FILE=a.tprof", "TORCHPROF_MODE=trace",
             "TORCHPROF_LOWER=0", "TORCHPROF_TRACE_KEEP=first",
             "TORCHPROF_TRACE_EVENTS=64", "TORCHPROF_SCHEDULE=wait=1,active=2",
             "TORCHPROF_CLOCK=monotonic", "HOME=/", "TORCHPROFX=1"});
  EXPECT_EQ(P.Warnings, "");
  EXPECT_FALSE(P.Opts.Enabled);
  EXPECT_EQ(P.Opts.File, "a.tprof");
  EXPECT_EQ(P.Opts.Mode, "trace");
  EXPECT_FALSE(P.Opts.Lower);
  EXPECT_EQ(P.Opts.TraceKeep, "first");
  EXPECT_EQ(P.Opts.TraceEvents, 64u);
  EXPECT_EQ(P.Opts.Schedule.Active, 2u);
  EXPECT_EQ(P.Opts.Clock, "monotonic");
}

TEST(Options, BadValueIsNamedAndTheDefaultStays) {
  Parsed P = parse({"TORCHPROF_MODE=fast"});
  EXPECT_EQ(P.Warnings, "torchprof: warning: TORCHPROF_MODE: expected "
                        "aggregate, trace, found 'fast'\n");
  EXPECT_EQ(P.Opts.Mode, "aggregate");
  for (const char *Bad :
       {"TORCHPROF=maybe", "TORCHPROF_TRACE_EVENTS=100",
        "TORCHPROF_TRACE_EVENTS=8", "TORCHPROF_TRACE_KEEP=all",
        "TORCHPROF_CLOCK=sun", "TORCHPROF_LOWER=", "TORCHPROF_FILE="}) {
    std::string Warnings = parse({Bad}).Warnings;
    EXPECT_NE(Warnings.find(": expected "), std::string::npos) << Bad;
    EXPECT_EQ(std::count(Warnings.begin(), Warnings.end(), '\n'), 1) << Bad;
  }
}

TEST(Options, FileIsAPathOrADescriptor) {
  for (const char *Good : {"fd:0", "fd:12", "./fd:x", "fd", "a/fd:1"}) {
    Parsed P = parse({("TORCHPROF_FILE=" + std::string(Good)).c_str()});
    EXPECT_EQ(P.Warnings, "");
    EXPECT_EQ(P.Opts.File, Good);
  }
  EXPECT_EQ(descriptorOf("fd:12"), 12);
  EXPECT_EQ(descriptorOf("./fd:12"), std::nullopt);
  for (const char *Bad : {"fd:", "fd:x", "fd:1x", "fd:-1", "fd:9999999999"})
    EXPECT_EQ(parse({("TORCHPROF_FILE=" + std::string(Bad)).c_str()}).Warnings,
              "torchprof: warning: TORCHPROF_FILE: expected a path or fd:N, "
              "found '" +
                  std::string(Bad) + "'\n");
}

TEST(Options, WhoFoldsIsAChoice) {
  EXPECT_EQ(parse({}).Opts.Fold, "run");
  Parsed P = parse({"TORCHPROF_FOLD=thread"});
  EXPECT_EQ(P.Opts.Fold, "thread");
  EXPECT_EQ(P.Warnings, "");
  P = parse({"TORCHPROF_FOLD=later"});
  EXPECT_EQ(P.Opts.Fold, "run");
  EXPECT_EQ(P.Warnings, "torchprof: warning: TORCHPROF_FOLD: expected run, "
                        "thread, found 'later'\n");
}

TEST(Options, BadScheduleIsNamedWithWhatIsAllowed) {
  Parsed P = parse({"TORCHPROF_SCHEDULE=wait=1"});
  EXPECT_EQ(
      P.Warnings,
      "torchprof: warning: TORCHPROF_SCHEDULE: expected "
      "skip_first=N,wait=N,warmup=N,active=N,repeat=N, each at most once and "
      "active at least 1, found 'wait=1'\n");
  EXPECT_FALSE(P.Opts.Schedule.exists());
}

TEST(Options, RecordTakesTheWordOfEachMeasure) {
#define TORCHPROF_MEASURE(NAME, NUMBER, ID, WORD, UNIT, SUM, MEANING)          \
  EXPECT_EQ(parse({"TORCHPROF_RECORD=" WORD}).Warnings, "") << ID;
#include "torchprof/format/Measures.def"
}

TEST(Options, RecordTakesWordsOfItsList) {
  EXPECT_EQ(parse({"TORCHPROF_RECORD=cpu"}).Opts.Record, "cpu");
  EXPECT_EQ(parse({"TORCHPROF_RECORD="}).Opts.Record, "");
  EXPECT_EQ(
      parse({"TORCHPROF_RECORD=cpu,heat"}).Warnings,
      "torchprof: warning: TORCHPROF_RECORD: expected attributes, blocks, cpu, "
      "device, labels, memory, ops, shapes, found 'heat'\n");
  EXPECT_EQ(refusedPart("record", "cpu,,shapes"), "cpu,,shapes");
  EXPECT_EQ(refusedPart("mode", "trace,x"), "trace,x");
  EXPECT_EQ(parse({"TORCHPROF_RECORD_EVERY=20"}).Opts.RecordEvery, 20u);
  EXPECT_NE(parse({"TORCHPROF_RECORD_EVERY=0"}).Warnings, "");
  EXPECT_EQ(parse({"TORCHPROF_RECORD_SITES=methods"}).Opts.RecordSites,
            "methods");
}

TEST(Options, ShapeVariantsHaveBounds) {
  EXPECT_EQ(parse({}).Opts.ShapeVariants, 8u);
  Parsed P = parse({"TORCHPROF_SHAPE_VARIANTS=255"});
  EXPECT_EQ(P.Warnings, "");
  EXPECT_EQ(P.Opts.ShapeVariants, 255u);
  for (std::string Bad : {"0", "256"}) {
    P = parse({("TORCHPROF_SHAPE_VARIANTS=" + Bad).c_str()});
    EXPECT_EQ(P.Warnings, "torchprof: warning: TORCHPROF_SHAPE_VARIANTS: "
                          "expected 1 to 255, found '" +
                              Bad + "'\n");
    EXPECT_EQ(P.Opts.ShapeVariants, 8u);
  }
}

TEST(Options, UnknownVariableIsNamedWithWhatIsKnown) {
  std::string Warnings = parse({"TORCHPROF_FLIE=a"}).Warnings;
  EXPECT_NE(Warnings.find("unknown variable TORCHPROF_FLIE, expected one of "),
            std::string::npos);
  EXPECT_NE(Warnings.find("TORCHPROF_FILE"), std::string::npos);
}

TEST(Options, TheBuildsOwnVariableIsNotOurs) {
  EXPECT_EQ(parse({"TORCHPROF_TORCH=system"}).Warnings, "");
}

TEST(Options, HelpNamesEveryVariableAndRecordingStaysOn) {
  Parsed P = parse({"TORCHPROF=help"});
  for (const char *Name : {"TORCHPROF=on", "TORCHPROF_FILE=torchprof-%p.tprof",
                           "TORCHPROF_SCHEDULE=", "TORCHPROF_MODE=aggregate"})
    EXPECT_NE(P.Warnings.find(Name), std::string::npos) << Name;
  EXPECT_TRUE(P.Opts.Enabled);
}

TEST(Options, DefaultsOfTheTableAreThoseInForce) {
  Parsed P = parse({});
  std::string Page = optionsPage();
  EXPECT_NE(Page.find("`file` | `" + P.Opts.File + "`"), std::string::npos);
  EXPECT_NE(Page.find("`clock` | `" + P.Opts.Clock + "`"), std::string::npos);
  EXPECT_NE(Page.find("`trace_events` | `" +
                      std::to_string(P.Opts.TraceEvents) + "`"),
            std::string::npos);
  EXPECT_TRUE(P.Opts.Enabled && P.Opts.Lower && !P.Opts.Schedule.exists());
  EXPECT_EQ(P.Opts.TraceEvents, 65536u);
  EXPECT_EQ(P.Opts.TraceKeep, "last");
}

TEST(Options, DocumentationIsMadeFromTheTable) {
  const char *Path = TORCHPROF_DOCS "/runtime-options.md";
  if (getenv("UPDATE_DOCS"))
    std::ofstream(Path) << optionsPage();
  std::ifstream File(Path);
  std::string Text{std::istreambuf_iterator<char>(File), {}};
  EXPECT_EQ(Text, optionsPage()) << "run this test with UPDATE_DOCS=1";
}
