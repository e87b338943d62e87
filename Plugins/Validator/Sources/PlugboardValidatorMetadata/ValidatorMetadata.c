#include "plugboard.h"

PLUGBOARD_METADATA(validator, "validator", "1.0.0");
