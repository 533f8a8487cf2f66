//===- Origin.cpp - where a site comes from -------------------------------===//

#include "Origin.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace torchprof;
using namespace torchprof::report;

bool report::isFrameworkFile(StringRef File) {
  return File.startswith("torch/") || File.contains("/torch/");
}

StringRef ManifestOrigin::className(uint32_t Index) const {
  for (uint32_t I = scope(Index); I != NoIndex; I = Table->Scopes[I].Parent)
    if (Table->Scopes[I].Class)
      return Table->string(Table->Scopes[I].Class);
  return "";
}

SourceLine ManifestOrigin::source(uint32_t Index) const {
  SourceLine Innermost;
  SourcePosition Position = Table->Sites[Index].Source;
  for (uint32_t I = scope(Index); I != NoIndex; I = Table->Scopes[I].Parent) {
    StringRef File = Table->string(Position.File);
    if (!File.empty() && !isFrameworkFile(File))
      return {File, Position.Line};
    if (Innermost.File.empty())
      Innermost = {File, Position.Line};
    Position = Table->Scopes[I].Call;
  }
  return Innermost;
}

std::vector<Frame> ManifestOrigin::frames(uint32_t Index) const {
  std::vector<Frame> Frames;
  SourcePosition Position = Table->Sites[Index].Source;
  for (uint32_t I = scope(Index); I != NoIndex; I = Table->Scopes[I].Parent) {
    const ManifestScope &Scope = Table->Scopes[I];
    StringRef Function = Table->string(Scope.Function);
    Frame &F = Frames.emplace_back();
    F.Function = Function.take_until([](char C) { return C == '('; }).str();
    F.Module = Table->string(Scope.Module);
    F.Class = Table->string(Scope.Class);
    F.File = Table->string(Position.File);
    F.Line = Position.Line;
    F.Column = Position.Column;
    F.Text = Table->string(Position.Text);
    F.Framework = isFrameworkFile(F.File);
    Position = Scope.Call;
  }
  // Each path goes on from that of the caller: Manifest::modulePath().
  std::string Path;
  for (Frame &F : reverse(Frames)) {
    if (!Path.empty() && !F.Module.empty())
      Path += '.';
    F.Module = Path += F.Module;
  }
  return Frames;
}
