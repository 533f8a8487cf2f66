//===- Place.cpp - moves the code of the library that it is part of -------===//
//
// Linkers put this section before all other code.
//
//===----------------------------------------------------------------------===//

#define TEXT_OF(WORD) #WORD
#define TEXT(WORD) TEXT_OF(WORD)
#define SKIP ".skip " TEXT(TORCHPROF_BENCH_SKIPPED_BYTES)

asm(".pushsection .text.unlikely,\"ax\"\n" SKIP "\n.popsection");
