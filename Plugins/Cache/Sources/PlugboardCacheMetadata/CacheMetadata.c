#include "plugboard.h"

PLUGBOARD_METADATA(cache, "cache", "1.0.0");
