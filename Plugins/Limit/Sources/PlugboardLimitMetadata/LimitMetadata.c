#include "plugboard.h"

PLUGBOARD_METADATA(limit, "limit", "1.0.0");
