#include "plugboard.h"

PLUGBOARD_METADATA(retry, "retry", "1.0.0");
