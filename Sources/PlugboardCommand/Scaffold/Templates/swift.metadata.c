#include "plugboard.h"

// Can be read from the file without running it. Equal to the manifest's.
PLUGBOARD_METADATA(@module@, "@id@", "0.1.0");
