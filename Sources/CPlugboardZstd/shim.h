// Zstandard, as it stands.

#ifndef PLUGBOARD_CZSTD_SHIM_H
#define PLUGBOARD_CZSTD_SHIM_H

#include <zstd.h>

#endif
