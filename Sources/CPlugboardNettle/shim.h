// libnettle: SHA-2 with the processor's instructions, whose state can be kept.

#ifndef PLUGBOARD_CNETTLE_SHIM_H
#define PLUGBOARD_CNETTLE_SHIM_H

#include <nettle/sha2.h>

#endif
