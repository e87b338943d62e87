#include "plugboard.h"

PLUGBOARD_METADATA(mock, "mock", "1.0.0");
