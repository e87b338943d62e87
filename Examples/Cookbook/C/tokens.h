// The service com.example.tokens/1: tokens for the hosts of requests. This file is all that a plugin that provides it
// and those that need it have in common. What it says never changes: more functions are another service, …/2.
#ifndef EXAMPLE_TOKENS_H
#define EXAMPLE_TOKENS_H

#include "plugboard.h"

#define TOKENS_1 "com.example.tokens/1"

typedef struct tokens_v1 {
    void *context;   // the first argument of the functions
    // Returns the token for requests to a host, or {NULL, 0}. Owned by the provider; valid until it is destroyed, which
    // is after those that need it. On any thread; it never blocks.
    plug_text (*token)(void *context, plug_text host);
} tokens_v1;

#endif
