#include "plugboard.h"

PLUGBOARD_METADATA(indicator, "indicator", "1.0.0");
