// What the plugin in Swift says of itself without being run.
#include "plugboard-1.h"

PLUGBOARD_METADATA(frozen_swift, "com.example.frozen-swift", "1.0.0");
