/*===- Hooks.h - what LibTorch's functions call first -------------*- C -*-===*\
|*                                                                            *|
|* LibTorch makes everything that its interpreter runs by two constructors,   *|
|* and calls them through its table of linked functions, so that others can   *|
|* stand in front of them. A class that is passed by value travels as a       *|
|* pointer (Itanium C++ ABI, 3.1.2.3), which C can hand on without knowing    *|
|* the class.                                                                 *|
|*                                                                            *|
|* One function more makes plans: a hook around it knows when and how long.   *|
|* Files are loaded between the constructor and the destructor of a reader.   *|
|* Autograd's engine calls functions at the begin of a backward, for each     *|
|* function in it, and for each tensor that one has kept or passes on.        *|
|*                                                                            *|
|* Each hook calls Real, the function itself, with the same arguments or      *|
|* with better ones, and lets its exceptions pass.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TORCHPROF_ATTACH_HOOKS_H
#define TORCHPROF_ATTACH_HOOKS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of each function its result, its parameters, their names, whether a call
   attaches to a process that was preloaded, and its type. What a backward calls
   does not: a process that trains runs no model of TorchScript for that. */
#define TORCHPROF_FUNCTION(HOOK)                                               \
  typedef RESULT_##HOOK Torchprof##HOOK(PARAMETERS_##HOOK)

/* GraphExecutor(shared_ptr<Graph> const &, std::string) */
#define RESULT_Executor void
#define PARAMETERS_Executor void *Self, const void *Graph, void *Name
#define ARGUMENTS_Executor Self, Graph, Name
#define ATTACHES_Executor 1
TORCHPROF_FUNCTION(Executor);

/* GraphExecutor(shared_ptr<Graph> const &, std::string, ExecutorExecutionMode)
 */
#define RESULT_ModeExecutor void
#define PARAMETERS_ModeExecutor PARAMETERS_Executor, int Mode
#define ARGUMENTS_ModeExecutor ARGUMENTS_Executor, Mode
#define ATTACHES_ModeExecutor 1
TORCHPROF_FUNCTION(ModeExecutor);

/* Code(shared_ptr<Graph> const &, std::string, size_t) */
#define RESULT_Code void
#define PARAMETERS_Code PARAMETERS_Executor, size_t Depth
#define ARGUMENTS_Code ARGUMENTS_Executor, Depth
#define ATTACHES_Code 1
TORCHPROF_FUNCTION(Code);

/* Method(intrusive_ptr<ivalue::Object>, Function *) */
#define RESULT_Method void
#define PARAMETERS_Method void *Self, void *Object, void *Function
#define ARGUMENTS_Method Self, Object, Function
#define ATTACHES_Method 1
TORCHPROF_FUNCTION(Method);

/* ExecutionPlan const &ProfilingGraphExecutorImpl::getOptimizedPlanFor(
       std::vector<IValue> &, std::optional<size_t>)
   An optional number travels in two registers: here the number and whether
   there is one, in the second form the other way round. */
#define RESULT_Plan void *
#define PARAMETERS_Plan void *Self, void *Stack, size_t Depth, size_t HasDepth
#define ARGUMENTS_Plan Self, Stack, Depth, HasDepth
#define ATTACHES_Plan 1
TORCHPROF_FUNCTION(Plan);

#define RESULT_OldPlan void *
#define PARAMETERS_OldPlan                                                     \
  void *Self, void *Stack, size_t HasDepth, size_t Depth
#define ARGUMENTS_OldPlan Self, Stack, HasDepth, Depth
#define ATTACHES_OldPlan 1
TORCHPROF_FUNCTION(OldPlan);

/* FileAdapter(std::string const &) */
#define RESULT_FileAdapter void
#define PARAMETERS_FileAdapter void *Self, const void *Name
#define ARGUMENTS_FileAdapter Self, Name
#define ATTACHES_FileAdapter 1
TORCHPROF_FUNCTION(FileAdapter);

/* PyTorchStreamReader(shared_ptr<ReadAdapterInterface>) */
#define RESULT_AdapterReader void
#define PARAMETERS_AdapterReader void *Self, void *Adapter
#define ARGUMENTS_AdapterReader Self, Adapter
#define ATTACHES_AdapterReader 1
TORCHPROF_FUNCTION(AdapterReader);

/* PyTorchStreamReader(std::string const &) */
#define RESULT_FileReader void
#define PARAMETERS_FileReader void *Self, const void *Name
#define ARGUMENTS_FileReader Self, Name
#define ATTACHES_FileReader 1
TORCHPROF_FUNCTION(FileReader);

/* PyTorchStreamReader(std::istream *) */
#define RESULT_StreamReader void
#define PARAMETERS_StreamReader void *Self, void *Stream
#define ARGUMENTS_StreamReader Self, Stream
#define ATTACHES_StreamReader 1
TORCHPROF_FUNCTION(StreamReader);

/* ~PyTorchStreamReader() */
#define RESULT_ReaderEnd void
#define PARAMETERS_ReaderEnd void *Self
#define ARGUMENTS_ReaderEnd Self
#define ATTACHES_ReaderEnd 1
TORCHPROF_FUNCTION(ReaderEnd);

/* void Engine::compute_dependencies(Node *, GraphTask &, uint64_t) */
#define RESULT_Dependencies void
#define PARAMETERS_Dependencies                                                \
  void *Self, void *Root, void *Task, uint64_t Least
#define ARGUMENTS_Dependencies Self, Root, Task, Least
#define ATTACHES_Dependencies 0
TORCHPROF_FUNCTION(Dependencies);

/* void Engine::evaluate_function(shared_ptr<GraphTask> &, Node *,
                                  InputBuffer &, shared_ptr<ReadyQueue> const &)
 */
#define RESULT_Evaluation void
#define PARAMETERS_Evaluation                                                  \
  void *Self, void *Task, void *Function, void *Inputs, const void *Queue
#define ARGUMENTS_Evaluation Self, Task, Function, Inputs, Queue
#define ATTACHES_Evaluation 0
TORCHPROF_FUNCTION(Evaluation);

/* void SavedVariable::reset_data() */
#define RESULT_Release void
#define PARAMETERS_Release void *Self
#define ARGUMENTS_Release Self
#define ATTACHES_Release 0
TORCHPROF_FUNCTION(Release);

/* void InputBuffer::add(size_t, Tensor &&, optional<Stream> const &,
                         optional<Stream> const &, Node *) */
#define RESULT_Addition void
#define PARAMETERS_Addition                                                    \
  void *Self, size_t Position, void *Gradient, const void *Producer,           \
      const void *Consumer, void *Function
#define ARGUMENTS_Addition                                                     \
  Self, Position, Gradient, Producer, Consumer, Function
#define ATTACHES_Addition 0
TORCHPROF_FUNCTION(Addition);

#undef TORCHPROF_FUNCTION

/* The hook of each function. */
#define TORCHPROF_HOOK(HOOK)                                                   \
  RESULT_##HOOK (*HOOK)(Torchprof##HOOK * Real, PARAMETERS_##HOOK)
struct TorchprofHooks {
  TORCHPROF_HOOK(Executor);
  TORCHPROF_HOOK(ModeExecutor);
  TORCHPROF_HOOK(Code);
  TORCHPROF_HOOK(Method);
  TORCHPROF_HOOK(Plan);
  TORCHPROF_HOOK(OldPlan);
  TORCHPROF_HOOK(FileAdapter);
  TORCHPROF_HOOK(AdapterReader);
  TORCHPROF_HOOK(FileReader);
  TORCHPROF_HOOK(StreamReader);
  TORCHPROF_HOOK(ReaderEnd);
  TORCHPROF_HOOK(Dependencies);
  TORCHPROF_HOOK(Evaluation);
  TORCHPROF_HOOK(Release);
  TORCHPROF_HOOK(Addition);
};
#undef TORCHPROF_HOOK

/* The hooks, a symbol of libtorchprof_attach.so. */
extern __attribute__((visibility("default")))
const struct TorchprofHooks torchprof_attach_hooks;

#ifdef __cplusplus
}
#endif

#endif
