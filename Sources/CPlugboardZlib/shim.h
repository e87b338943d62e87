// What Swift does not import of zlib: the initializers, which are macros.

#ifndef PLUGBOARD_CZLIB_SHIM_H
#define PLUGBOARD_CZLIB_SHIM_H

#include <zlib.h>

// `window_bits` as inflateInit2 has it: 15 for zlib, 15 + 16 for gzip, -15 for no wrapper.
static inline int czlib_inflate_init(z_streamp stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

// deflateInit2 with this `window_bits` and zlib's defaults for its other parameters.
static inline int czlib_deflate_init(z_streamp stream, int window_bits) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif
