/*===- Hooks.h - what LibTorch's constructors call first ----------*- C -*-===*\
|*                                                                            *|
|* LibTorch makes everything that its interpreter runs by two constructors,   *|
|* and calls them through its table of linked functions, so that others can   *|
|* stand in front of them. A class that is passed by value travels as a       *|
|* pointer (Itanium C++ ABI, 3.1.2.3), which C can hand on without knowing    *|
|* the class.                                                                 *|
|*                                                                            *|
|* Each hook calls Real, the constructor itself, with the same arguments or   *|
|* with better ones, and lets its exceptions pass.                            *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TORCHPROF_ATTACH_HOOKS_H
#define TORCHPROF_ATTACH_HOOKS_H

#include <stddef.h>

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

struct TorchprofHooks {
  void (*Executor)(TorchprofExecutor *Real, void *Self, const void *Graph,
                   void *Name);
  void (*ModeExecutor)(TorchprofModeExecutor *Real, void *Self,
                       const void *Graph, void *Name, int Mode);
  void (*Code)(TorchprofCode *Real, void *Self, const void *Graph, void *Name,
               size_t Depth);
  void (*Method)(TorchprofMethod *Real, void *Self, void *Object,
                 void *Function);
};

/* The hooks, a symbol of libtorchprof_attach.so. */
extern __attribute__((visibility("default")))
const struct TorchprofHooks torchprof_attach_hooks;

/* The parameters of a constructor and their names, for functions that take its
   place. */
#define PARAMETERS_Executor void *Self, const void *Graph, void *Name
#define PARAMETERS_ModeExecutor PARAMETERS_Executor, int Mode
#define PARAMETERS_Code PARAMETERS_Executor, size_t Depth
#define PARAMETERS_Method void *Self, void *Object, void *Function
#define ARGUMENTS_Executor Self, Graph, Name
#define ARGUMENTS_ModeExecutor Self, Graph, Name, Mode
#define ARGUMENTS_Code Self, Graph, Name, Depth
#define ARGUMENTS_Method Self, Object, Function

#ifdef __cplusplus
}
#endif

#endif
