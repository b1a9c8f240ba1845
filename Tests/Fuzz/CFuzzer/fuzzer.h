// The one function of libFuzzer that a program with a main of its own calls
// (https://llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
#ifndef PURSER_CFUZZER_H
#define PURSER_CFUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));

#endif
