#include "plugboard.h"

PLUGBOARD_METADATA(redis, "redis", "1.0.0");
