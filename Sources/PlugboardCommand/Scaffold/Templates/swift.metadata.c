#include "plugboard.h"

// Read from the file without running it; the same as in the manifest.
PLUGBOARD_METADATA(@module@, "@id@", "0.1.0");
