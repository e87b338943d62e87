// libltdl, the loader of GNU Libtool. Swift imports all of it that is used here; there is no .pc file, and the link
// line is in the module map. And on which thread a file is opened.

#ifndef PLUGBOARD_CLTDL_SHIM_H
#define PLUGBOARD_CLTDL_SHIM_H

#include <ltdl.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...);

// 1 on the thread that the process began with, else 0.
static inline int cltdl_is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

#endif
