#include "plugboard.h"

PLUGBOARD_METADATA(cookies, "cookies", "1.0.0");
