// Brotli's encoder, as it stands.

#ifndef PLUGBOARD_CBROTLI_ENCODER_H
#define PLUGBOARD_CBROTLI_ENCODER_H

#include <brotli/encode.h>

#endif
