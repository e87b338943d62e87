// Has a default beyond its own bounds. Fails `options`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("limit"), .type = PLUG_TYPE_INTEGER, .fallback = PLUG_LITERAL("11"), .minimum = 0,
      .maximum = 10, .documentation = PLUG_LITERAL("A limit.") },
};

PLUGBOARD_METADATA(bad_default, "com.example.bad-default", "1.0.0");
PLUGBOARD_PLUGIN(bad_default) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.bad-default"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Breaks its own bounds."),
    .priority = 500,
    .create = create,
    .settings = settings,
    .setting_count = 1,
};
