// The kernel's routing table over netlink (rtnetlink(7)): structures and macros that Swift does not import.

#ifndef PLUGBOARD_CNETLINK_SHIM_H
#define PLUGBOARD_CNETLINK_SHIM_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdint.h>
#include <sys/socket.h>

#endif
