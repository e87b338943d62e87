// Crashes before its entry function is called. Crashes `load`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static int *volatile nowhere;

__attribute__((constructor)) static void fall(void) { *nowhere = 1; }

PLUGBOARD_METADATA(constructor_crashes, "com.example.constructor-crashes", "1.0.0");
PLUGBOARD_PLUGIN(constructor_crashes) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.constructor-crashes"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Crashes while it is loaded."),
    .priority = 500,
    .create = create,
};
