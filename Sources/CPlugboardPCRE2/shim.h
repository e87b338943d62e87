// libpcre2 with patterns and subjects of bytes.

#ifndef PLUGBOARD_CPCRE2_SHIM_H
#define PLUGBOARD_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

// The stack of a thread, which bounds how deep schemas and patterns may nest. The C libraries declare the function for
// _GNU_SOURCE only.
#include <pthread.h>
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes);

#endif
