// The metadata of the plugin in Swift.
#include "plugboard-1.h"

PLUGBOARD_METADATA(frozen_swift, "com.example.frozen-swift", "1.0.0");
