#include "plugboard.h"

PLUGBOARD_METADATA(redirect, "redirect", "1.0.0");
