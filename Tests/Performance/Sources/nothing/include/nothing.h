// Eight plugins that list every hook and do nothing in it, to be linked.
#pragma once

#include "plugboard.h"

#define NOTHING_COUNT 8
const plug_plugin_v1 *nothing_plugin(uint32_t number);
