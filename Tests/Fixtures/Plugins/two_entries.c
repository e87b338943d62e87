// Two plugins in one file, which is refused: a path in a configuration is one plugin.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

PLUGBOARD_PLUGIN(first) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.first"),
    .version = PLUG_LITERAL("1.0.0"),
    .priority = 500,
    .create = create,
};

PLUGBOARD_PLUGIN(second) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.second"),
    .version = PLUG_LITERAL("1.0.0"),
    .priority = 500,
    .create = create,
};
