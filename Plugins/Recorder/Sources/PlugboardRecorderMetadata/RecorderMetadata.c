#include "plugboard.h"

PLUGBOARD_METADATA(recorder, "recorder", "1.0.0");
