#include "plugboard.h"

PLUGBOARD_METADATA(authentication, "authentication", "1.0.0");
