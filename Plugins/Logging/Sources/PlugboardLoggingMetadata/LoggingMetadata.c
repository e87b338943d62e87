#include "plugboard.h"

PLUGBOARD_METADATA(logging, "logging", "1.0.0");
