#include "plugboard.h"

PLUGBOARD_METADATA(decode, "decode", "1.0.0");
