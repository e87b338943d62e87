// Brotli's decoder, as it stands.

#ifndef PLUGBOARD_CBROTLI_SHIM_H
#define PLUGBOARD_CBROTLI_SHIM_H

#include <brotli/decode.h>

#endif
