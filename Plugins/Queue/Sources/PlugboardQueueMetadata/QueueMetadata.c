#include "plugboard.h"

PLUGBOARD_METADATA(queue, "queue", "1.0.0");
