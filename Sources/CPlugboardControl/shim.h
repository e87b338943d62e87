// Unix domain sockets (unix(7)): functions in place of structures and macros that Swift does not import, or that C
// libraries declare only with _GNU_SOURCE.

#ifndef PLUGBOARD_CCONTROL_SHIM_H
#define PLUGBOARD_CCONTROL_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

// The longest path of a socket, in bytes.
static const int ccontrol_longest_path = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;

static inline int ccontrol_use(int (*call)(int, const struct sockaddr *, socklen_t), int file, const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    return call(file, (struct sockaddr *)&address, sizeof address);
}

// Opens a socket; returns -1 and sets errno on failure.
static inline int ccontrol_open(int waits) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (waits ? 0 : SOCK_NONBLOCK), 0);
}

// Binds a socket to a new file that only its owner can use, from its first moment on, and listens.
static inline int ccontrol_listen(int file, const char *path, int count) {
    return fchmod(file, 0600) == 0 && ccontrol_use(bind, file, path) == 0 ? listen(file, count) : -1;
}

static inline int ccontrol_connect(int file, const char *path) {
    return ccontrol_use(connect, file, path);
}

static inline int ccontrol_accept(int file) {
    int peer = accept(file, NULL, NULL);
    if (peer < 0) return -1;
    // What fails here fails later, too, and is then the peer's end.
    fcntl(peer, F_SETFD, FD_CLOEXEC);
    fcntl(peer, F_SETFL, O_NONBLOCK);
    return peer;
}

// The user of the process at the other end, as it was when it connected or listened; -1 on failure.
static inline long ccontrol_peer_user(int file) {
    struct {
        pid_t process;
        uid_t user;
        gid_t group;
    } peer;
    socklen_t size = sizeof peer;
    return getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && size == sizeof peer ? (long)peer.user : -1;
}

#endif
