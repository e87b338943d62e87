#include <plugboard.h>

const plug_plugin_v1 *idle_c_LTX_plugboard_plugin(void);
