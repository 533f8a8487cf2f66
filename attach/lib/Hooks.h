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

/* GraphExecutor(shared_ptr<Graph> const &, std::string) */
typedef void TorchprofExecutor(void *Self, const void *Graph, void *Name);
/* GraphExecutor(shared_ptr<Graph> const &, std::string, ExecutorExecutionMode)
 */
typedef void TorchprofModeExecutor(void *Self, const void *Graph, void *Name,
                                   int Mode);
/* Code(shared_ptr<Graph> const &, std::string, size_t) */
typedef void TorchprofCode(void *Self, const void *Graph, void *Name,
                           size_t Depth);
/* Method(intrusive_ptr<ivalue::Object>, Function *) */
typedef void TorchprofMethod(void *Self, void *Object, void *Function);
/* ExecutionPlan const &ProfilingGraphExecutorImpl::getOptimizedPlanFor(
       std::vector<IValue> &, std::optional<size_t>)
   An optional number travels in two registers: here the number and whether
   there is one, in the second form the other way round. */
typedef void *TorchprofPlan(void *Self, void *Stack, size_t Depth,
                            size_t HasDepth);
typedef void *TorchprofOldPlan(void *Self, void *Stack, size_t HasDepth,
                               size_t Depth);
/* FileAdapter(std::string const &) */
typedef void TorchprofFileAdapter(void *Self, const void *Name);
/* PyTorchStreamReader(shared_ptr<ReadAdapterInterface>) */
typedef void TorchprofAdapterReader(void *Self, void *Adapter);
/* PyTorchStreamReader(std::string const &) */
typedef void TorchprofFileReader(void *Self, const void *Name);
/* PyTorchStreamReader(std::istream *) */
typedef void TorchprofStreamReader(void *Self, void *Stream);
/* ~PyTorchStreamReader() */
typedef void TorchprofReaderEnd(void *Self);
/* void Engine::compute_dependencies(Node *, GraphTask &, uint64_t) */
typedef void TorchprofDependencies(void *Self, void *Root, void *Task,
                                   uint64_t Least);
/* void Engine::evaluate_function(shared_ptr<GraphTask> &, Node *,
                                  InputBuffer &, shared_ptr<ReadyQueue> const &)
 */
typedef void TorchprofEvaluation(void *Self, void *Task, void *Function,
                                 void *Inputs, const void *Queue);
/* void SavedVariable::reset_data() */
typedef void TorchprofRelease(void *Self);
/* void InputBuffer::add(size_t, Tensor &&, optional<Stream> const &,
                         optional<Stream> const &, Node *) */
typedef void TorchprofAddition(void *Self, size_t Position, void *Gradient,
                               const void *Producer, const void *Consumer,
                               void *Function);

struct TorchprofHooks {
  void (*Executor)(TorchprofExecutor *Real, void *Self, const void *Graph,
                   void *Name);
  void (*ModeExecutor)(TorchprofModeExecutor *Real, void *Self,
                       const void *Graph, void *Name, int Mode);
  void (*Code)(TorchprofCode *Real, void *Self, const void *Graph, void *Name,
               size_t Depth);
  void (*Method)(TorchprofMethod *Real, void *Self, void *Object,
                 void *Function);
  void *(*Plan)(TorchprofPlan *Real, void *Self, void *Stack, size_t Depth,
                size_t HasDepth);
  void *(*OldPlan)(TorchprofOldPlan *Real, void *Self, void *Stack,
                   size_t HasDepth, size_t Depth);
  void (*FileAdapter)(TorchprofFileAdapter *Real, void *Self, const void *Name);
  void (*AdapterReader)(TorchprofAdapterReader *Real, void *Self,
                        void *Adapter);
  void (*FileReader)(TorchprofFileReader *Real, void *Self, const void *Name);
  void (*StreamReader)(TorchprofStreamReader *Real, void *Self, void *Stream);
  void (*ReaderEnd)(TorchprofReaderEnd *Real, void *Self);
  void (*Dependencies)(TorchprofDependencies *Real, void *Self, void *Root,
                       void *Task, uint64_t Least);
  void (*Evaluation)(TorchprofEvaluation *Real, void *Self, void *Task,
                     void *Function, void *Inputs, const void *Queue);
  void (*Release)(TorchprofRelease *Real, void *Self);
  void (*Addition)(TorchprofAddition *Real, void *Self, size_t Position,
                   void *Gradient, const void *Producer, const void *Consumer,
                   void *Function);
};

/* The hooks, a symbol of libtorchprof_attach.so. */
extern __attribute__((visibility("default")))
const struct TorchprofHooks torchprof_attach_hooks;

/* The parameters of a function, their names and its result, for those that take
   its place. */
#define PARAMETERS_Executor void *Self, const void *Graph, void *Name
#define PARAMETERS_ModeExecutor PARAMETERS_Executor, int Mode
#define PARAMETERS_Code PARAMETERS_Executor, size_t Depth
#define PARAMETERS_Method void *Self, void *Object, void *Function
#define PARAMETERS_Plan void *Self, void *Stack, size_t Depth, size_t HasDepth
#define PARAMETERS_OldPlan                                                     \
  void *Self, void *Stack, size_t HasDepth, size_t Depth
#define PARAMETERS_FileAdapter void *Self, const void *Name
#define PARAMETERS_AdapterReader void *Self, void *Adapter
#define PARAMETERS_FileReader void *Self, const void *Name
#define PARAMETERS_StreamReader void *Self, void *Stream
#define PARAMETERS_ReaderEnd void *Self
#define PARAMETERS_Dependencies                                                \
  void *Self, void *Root, void *Task, uint64_t Least
#define PARAMETERS_Evaluation                                                  \
  void *Self, void *Task, void *Function, void *Inputs, const void *Queue
#define PARAMETERS_Release void *Self
#define PARAMETERS_Addition                                                    \
  void *Self, size_t Position, void *Gradient, const void *Producer,           \
      const void *Consumer, void *Function
#define ARGUMENTS_Executor Self, Graph, Name
#define ARGUMENTS_ModeExecutor Self, Graph, Name, Mode
#define ARGUMENTS_Code Self, Graph, Name, Depth
#define ARGUMENTS_Method Self, Object, Function
#define ARGUMENTS_Plan Self, Stack, Depth, HasDepth
#define ARGUMENTS_OldPlan Self, Stack, HasDepth, Depth
#define ARGUMENTS_FileAdapter Self, Name
#define ARGUMENTS_AdapterReader Self, Adapter
#define ARGUMENTS_FileReader Self, Name
#define ARGUMENTS_StreamReader Self, Stream
#define ARGUMENTS_ReaderEnd Self
#define ARGUMENTS_Dependencies Self, Root, Task, Least
#define ARGUMENTS_Evaluation Self, Task, Function, Inputs, Queue
#define ARGUMENTS_Release Self
#define ARGUMENTS_Addition                                                     \
  Self, Position, Gradient, Producer, Consumer, Function
#define RESULT_Executor void
#define RESULT_ModeExecutor void
#define RESULT_Code void
#define RESULT_Method void
#define RESULT_Plan void *
#define RESULT_OldPlan void *
#define RESULT_FileAdapter void
#define RESULT_AdapterReader void
#define RESULT_FileReader void
#define RESULT_StreamReader void
#define RESULT_ReaderEnd void
#define RESULT_Dependencies void
#define RESULT_Evaluation void
#define RESULT_Release void
#define RESULT_Addition void
#define RETURN_Executor
#define RETURN_ModeExecutor
#define RETURN_Code
#define RETURN_Method
#define RETURN_Plan return
#define RETURN_OldPlan return
#define RETURN_FileAdapter
#define RETURN_AdapterReader
#define RETURN_FileReader
#define RETURN_StreamReader
#define RETURN_ReaderEnd
#define RETURN_Dependencies
#define RETURN_Evaluation
#define RETURN_Release
#define RETURN_Addition

/* Whether a call attaches to a process that was preloaded. A process that
   trains runs no model of TorchScript for that. */
#define ATTACHES_Executor 1
#define ATTACHES_ModeExecutor 1
#define ATTACHES_Code 1
#define ATTACHES_Method 1
#define ATTACHES_Plan 1
#define ATTACHES_OldPlan 1
#define ATTACHES_FileAdapter 1
#define ATTACHES_AdapterReader 1
#define ATTACHES_FileReader 1
#define ATTACHES_StreamReader 1
#define ATTACHES_ReaderEnd 1
#define ATTACHES_Dependencies 0
#define ATTACHES_Evaluation 0
#define ATTACHES_Release 0
#define ATTACHES_Addition 0

#ifdef __cplusplus
}
#endif

#endif
