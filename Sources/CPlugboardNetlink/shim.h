// The system's routing table over netlink (netlink(7), rtnetlink(7)): structures that Swift imports, and functions and
// constants in place of macros, which it does not import.

#ifndef PLUGBOARD_CNETLINK_SHIM_H
#define PLUGBOARD_CNETLINK_SHIM_H

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint32_t cnetlink_running = IFF_UP | IFF_RUNNING;
static const uint32_t cnetlink_loopback = IFF_LOOPBACK;
// The groups that tell of changes of interfaces, of their addresses and of routes.
static const uint32_t cnetlink_groups =
    RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE;

// Opens a socket that does not block, in the network namespace of the calling thread. Returns -1 and sets errno on
// failure.
static inline int cnetlink_open(uint32_t groups) {
    int file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (file < 0) return -1;
    struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = groups };
    if (bind(file, (struct sockaddr *)&address, sizeof address) == 0) return file;
    int cause = errno;
    close(file);
    errno = cause;
    return -1;
}

// The number by which the system addresses replies to the socket; 0 on failure.
static inline uint32_t cnetlink_port(int file) {
    struct sockaddr_nl address = { 0 };
    socklen_t size = sizeof address;
    return getsockname(file, (struct sockaddr *)&address, &size) == 0 ? address.nl_pid : 0;
}

// Asks for all interfaces (RTM_GETLINK) or routes (RTM_GETROUTE). Returns 0, or an errno.
static inline int cnetlink_request(int file, uint16_t type, uint32_t sequence) {
    struct {
        struct nlmsghdr header;
        // Both kinds of requests may begin with a family alone; this has the size of either.
        struct ifinfomsg body;
    } request = { .header = {
        .nlmsg_len = sizeof request, .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
        .nlmsg_seq = sequence } };
    struct sockaddr_nl system = { .nl_family = AF_NETLINK };
    ssize_t count = sendto(file, &request, sizeof request, 0, (struct sockaddr *)&system, sizeof system);
    return count < 0 ? errno : 0;
}

// Receives one datagram and writes its length; 0 for one that another program has sent. Returns 0, EMSGSIZE for a
// datagram that is larger than the buffer, or another errno.
static inline int cnetlink_receive(int file, void *buffer, size_t size, size_t *count) {
    struct sockaddr_nl sender = { 0 };
    socklen_t sender_size = sizeof sender;
    *count = 0;
    ssize_t result = recvfrom(file, buffer, size, MSG_TRUNC, (struct sockaddr *)&sender, &sender_size);
    if (result < 0) return errno;
    if (sender.nl_pid != 0) return 0;
    if ((size_t)result > size) return EMSGSIZE;
    *count = (size_t)result;
    return 0;
}

// Blocks until the socket can be read, for at most so many milliseconds.
static inline void cnetlink_wait(int file, int milliseconds) {
    struct pollfd entry = { .fd = file, .events = POLLIN };
    poll(&entry, 1, milliseconds);
}

#endif
