//===- TableLock.cpp - the lock of what is known of models ----------------===//

#include "TableLock.h"

#include <pthread.h>

namespace torchprof {

static pthread_mutex_t Mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock() { pthread_mutex_lock(&Mutex); }
static void unlock() { pthread_mutex_unlock(&Mutex); }

static const int IsHeldOverFork = pthread_atfork(lock, unlock, unlock);

TableLock::TableLock() { lock(); }
TableLock::~TableLock() { unlock(); }

} // namespace torchprof
