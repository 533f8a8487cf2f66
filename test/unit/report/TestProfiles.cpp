//===- TestProfiles.cpp - profiles for the report's tests -----------------===//

#include "TestProfiles.h"
#include "../../../tools/torchprof-report/Profile/ProfileJson.h"
#include "../../../tools/torchprof-report/Profile/ProfileWriter.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace torchprof::report;

Profile test::parse(StringRef Json) {
  Expected<Profile> P = profileFromJson(Json, "test.json");
  if (!P) {
    ADD_FAILURE() << toString(P.takeError());
    return Profile();
  }
  return std::move(*P);
}

std::string test::bytesOf(const Profile &P) {
  std::string Bytes;
  raw_string_ostream OS(Bytes);
  writeProfile(P, OS);
  OS.flush();
  return Bytes;
}

Profile test::everySegment() {
  return parse(R"json({
    "state": "snapshot", "epoch": 3,
    "process": {"pid": 1, "clock": "tsc", "ticks_per_second": 2500000000,
                "mode": "trace", "counters": {"dropped_pairs": 1}},
    "anchor_interval_ns": 5,
    "anchors": [{"ticks": 0, "monotonic_ns": 0, "realtime_ns": 7},
                {"ticks": 2500000000, "monotonic_ns": 1000000000}],
    "models": [{"id": 5, "name": "net",
      "scopes": [{"class": "Net", "function": "forward(x)"},
                 {"parent": 0, "module": "a", "class": "A",
                  "function": "forward", "call": {"file": "n.py", "line": 2}}],
      "sites": [{"kind": "method", "name": "forward", "flags": ["root"]},
                {"parent": 0, "kind": "aten::mm", "name": "y", "scope": 1},
                {"parent": 1, "kind": "aten::t", "producers": [1]}],
      "names": [{"function": "a.forward", "value": 2, "name": "y.1"}]}],
    "dynamic_sites": [{"slot": 3, "parent": 1, "name": "load"},
                      {"parent": 3, "kind": "group", "flags": ["cut"],
                       "name": "aten::t, aten::mm"}],
    "plans": [{"root": 0, "kind": "profiling", "begin": 2, "ticks": 3,
               "own_ticks": 1, "thread": 11, "run": 1, "nodes": 7},
              {"first": 1, "part": "fallback", "begin": 20, "ticks": 4,
               "thread": 11, "run": 2, "depth": 5, "nodes": 3, "groups": 1,
               "flags": ["before_run"]}],
    "loads": [{"name": "models/n\u00e9t.pt", "begin": 1, "ticks": 6,
               "thread": 11},
              {"begin": 30, "ticks": 5, "thread": 12}],
    "books": {"peak": 90, "peak_ticks": 7, "peak_slot": 1, "epoch": 3,
      "runs": 5, "mark_before": 2, "mark": 4, "accounts": [
        {"slot": 1, "live": 30, "blocks": 2, "at_peak": 70, "at_run_end": 10,
         "at_mark_before": 5, "at_mark": 9},
        {"live": -4, "blocks": -1, "at_peak": 20}]},
    "lanes": [{"thread": 11, "name": "main", "current_slot": 1,
      "cells": [{"slot": 0, "samples": [10, 20]},
                {"slot": 1, "samples": [5, 6, 70000], "cut": 2,
                 "begins": 6}],
      "runs": [{"slot": 0, "capacity": 4, "samples": [[9, 10], [40, 20]]}],
      "traces": [{"keep": "last", "capacity": 3, "written": 9,
                  "events": [[1, 2, 3], [1, 6, 1], [0, 1, 9]]}],
      "levels": [
        {"levels": [[0, 9, -3, 50, 1], [0, 40, 8, 60, 4294967295]]},
        {"of_runs": false, "keep": "last", "capacity": 3, "count": 8,
         "levels": [[1, 2, 1, 0, 4294967295], [1, 6, 2, 0, 4294967295],
                    [0, 9, 3, 0, 4294967295]]}],
      "device_spans": [
        {"keep": "last", "capacity": 2, "count": 3,
         "spans": [[1, 2, 100, 50, 0, 3], [0, 1, 90, 70, 1, 65535]]}],
      "measures": [
        {"name": "cpu", "cells": [
          {"slot": 0, "count": 2, "sum": 25, "max": 20, "time": 30,
           "nested": 4},
          {"slot": 1, "count": 1, "sum": 3, "max": 3, "time": 5}]},
        {"name": "volts", "number": 900, "unit": "count", "adds": "peak",
         "cells": [{"slot": 3, "count": 3, "sum": 7, "max": 7,
                    "time": 11}]}]}]})json");
}
