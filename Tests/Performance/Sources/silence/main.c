// Accepts connections on 127.0.0.1, reads what they send, and never responds: a server for exchanges that wait.
// Prints its port, and ends when it is killed.
//
//     cc -O2 -o silence Sources/silence/main.c
#define _GNU_SOURCE  // accept4
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    exit(1);
}

int main(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit");
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) fail("setrlimit");

    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) fail("socket");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) != 0) fail("bind");
    if (listen(listener, 4096) != 0) fail("listen");
    if (getsockname(listener, (struct sockaddr *)&address, &size) != 0) fail("getsockname");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);

    int descriptor = epoll_create1(EPOLL_CLOEXEC);
    if (descriptor < 0) fail("epoll_create1");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
    if (epoll_ctl(descriptor, EPOLL_CTL_ADD, listener, &event) != 0) fail("epoll_ctl");
    for (;;) {
        struct epoll_event events[256];
        int count = epoll_wait(descriptor, events, 256, -1);
        if (count < 0 && errno != EINTR) fail("epoll_wait");
        for (int i = 0; i < count; i++) {
            int socket = events[i].data.fd;
            if (socket == listener) {
                int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (accepted < 0) {
                    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED) continue;
                    fail("accept4");
                }
                struct epoll_event arrival = {.events = EPOLLIN, .data.fd = accepted};
                if (epoll_ctl(descriptor, EPOLL_CTL_ADD, accepted, &arrival) != 0) fail("epoll_ctl");
                continue;
            }
            char bytes[4096];
            ssize_t got = read(socket, bytes, sizeof bytes);
            // Closing takes the socket out of the epoll set.
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) close(socket);
        }
    }
}
