// Functions that Swift does not import: epoll and eventfd, whose constants are enumerations in one C library and macros
// in another, and calls that need structures of several kinds.

#ifndef PLUGBOARD_CEPOLL_SHIM_H
#define PLUGBOARD_CEPOLL_SHIM_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Registers the events of `Readiness` for a descriptor.
static inline int cepoll_control(int epoll, int operation, int file, uint32_t events) {
    struct epoll_event event = { .events = events, .data = { .u64 = (uint64_t)(uint32_t)file } };
    return epoll_ctl(epoll, operation, file, &event);
}

static inline int cepoll_file(const struct epoll_event *event) {
    return event->data.fd;
}

static inline uint32_t cepoll_events(const struct epoll_event *event) {
    return event->events;
}

// Names the calling thread; the system keeps 15 bytes.
static inline void cepoll_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

// A number that no other socket has or gets later, or 0 on failure.
static inline uint64_t cepoll_socket_cookie(int socket) {
    uint64_t cookie = 0;
    socklen_t size = sizeof cookie;
    return getsockopt(socket, SOL_SOCKET, SO_COOKIE, &cookie, &size) == 0 ? cookie : 0;
}

// The local port of an IPv4 or IPv6 socket, or 0.
static inline int cepoll_local_port(int socket) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &size) != 0) return 0;
    if (address.ss_family == AF_INET) return ntohs(((struct sockaddr_in *)&address)->sin_port);
    if (address.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    return 0;
}

// How many processor cores the process may use (sched_getaffinity); those of the machine where that is not known.
static inline long cepoll_usable_cores(void) {
    unsigned char cores[8192 / 8];
    // The system call itself: the C libraries differ in the type of the set, and in what they return.
    long size = syscall(SYS_sched_getaffinity, 0, sizeof cores, cores);
    long count = 0;
    for (long index = 0; index < size; index++) count += __builtin_popcount(cores[index]);
    return count > 0 ? count : sysconf(_SC_NPROCESSORS_ONLN);
}

// The loop that this thread runs; NULL on other threads. A static of a function, because Swift emits no others of a
// header; so one source file must make all calls.
static inline void **cepoll_running(void) {
    static __thread void *loop;
    return &loop;
}

static const uint32_t cepoll_in = EPOLLIN;
static const uint32_t cepoll_out = EPOLLOUT;
static const uint32_t cepoll_error = EPOLLERR;
static const uint32_t cepoll_hang_up = EPOLLHUP;
static const uint32_t cepoll_edge = EPOLLET;

#endif
