// libpcre2 with patterns and subjects of bytes.

#ifndef PLUGBOARD_CPCRE2_SHIM_H
#define PLUGBOARD_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

// The stack of a thread, which bounds how deep schemas and patterns may nest. The C libraries declare the function for
// _GNU_SOURCE only.
#include <pthread.h>
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

// An address in the stack frame of the caller. The address of a local variable does not serve: under the address
// sanitizer it may lie on the heap.
#include <stdint.h>
static inline __attribute__((always_inline)) uintptr_t plugboard_stack_position(void) {
    return (uintptr_t)__builtin_frame_address(0);
}

#endif
