// Brotli's decoder, and the declarations of its encoder for those who link libbrotlienc themselves.

#ifndef PLUGBOARD_CBROTLI_SHIM_H
#define PLUGBOARD_CBROTLI_SHIM_H

#include <brotli/decode.h>
#include <brotli/encode.h>

#endif
