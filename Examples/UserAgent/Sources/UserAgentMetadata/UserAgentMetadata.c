#include "plugboard.h"

PLUGBOARD_METADATA(user_agent, "com.example.user-agent", "1.0.0");
