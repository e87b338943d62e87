#include "plugboard.h"

PLUGBOARD_METADATA(telemetry, "telemetry", "1.0.0");
