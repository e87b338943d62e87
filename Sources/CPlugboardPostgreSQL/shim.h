// libpq, the client library of PostgreSQL, and a pipe that Swift cannot make.

#ifndef PLUGBOARD_CPOSTGRESQL_SHIM_H
#define PLUGBOARD_CPOSTGRESQL_SHIM_H

#include <fcntl.h>
#include <unistd.h>

// Where Debian has it; elsewhere pkg-config says where it is.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

// A pipe that does not block, and that programs which are started do not get. Returns 0, or -1.
static inline int plugboard_postgresql_pipe(int ends[2]) {
    if (pipe(ends) != 0) return -1;
    for (int end = 0; end < 2; end++) {
        fcntl(ends[end], F_SETFL, O_NONBLOCK);
        fcntl(ends[end], F_SETFD, FD_CLOEXEC);
    }
    return 0;
}

#endif
