// libnettle: SHA-2 with the processor's instructions, whose state can be kept; HMAC, and ChaCha20-Poly1305.

#ifndef PLUGBOARD_CNETTLE_SHIM_H
#define PLUGBOARD_CNETTLE_SHIM_H

#include <nettle/chacha-poly1305.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>

#endif
