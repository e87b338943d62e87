// A shared object that is not a plugin: its entry function is not exported.
#include <plugboard.h>

static const plug_plugin_v1 descriptor = { .abi_revision = PLUG_ABI_REVISION };

__attribute__((visibility("hidden"))) const plug_plugin_v1 *no_entry_LTX_plugboard_plugin(void) { return &descriptor; }

PLUG_EXPORT int no_entry_number(void);
int no_entry_number(void) { return no_entry_LTX_plugboard_plugin() ? 42 : 0; }
