#include "plugboard.h"

PLUGBOARD_METADATA(resume, "resume", "1.0.0");
