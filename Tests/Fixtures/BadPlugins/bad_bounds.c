// Has a minimum and no maximum, so that no value is valid. Fails `options`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("limit"), .type = PLUG_TYPE_INTEGER, .minimum = 5, .documentation = PLUG_LITERAL("A limit.") },
};

PLUGBOARD_METADATA(bad_bounds, "com.example.bad-bounds", "1.0.0");
PLUGBOARD_PLUGIN(bad_bounds) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.bad-bounds"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Has bounds that cannot be met."),
    .priority = 500,
    .create = create,
    .settings = settings,
    .setting_count = 1,
};
