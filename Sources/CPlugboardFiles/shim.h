// Calls of Linux that C libraries declare only with _GNU_SOURCE, or only in new versions.

#ifndef PLUGBOARD_CFILES_SHIM_H
#define PLUGBOARD_CFILES_SHIM_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...);

// Renames a file unless the new name exists (EEXIST). EINVAL or ENOSYS where the file system cannot do that.
static inline int cfiles_rename_new(const char *from, const char *to) {
    const unsigned noreplace = 1;
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, noreplace);
}

// Gives a file this length, with room on the disk. EOPNOTSUPP where the file system cannot do that.
static inline int cfiles_allocate(int file, int64_t length) {
    return (int)syscall(SYS_fallocate, file, 0, (int64_t)0, length);
}

#endif
