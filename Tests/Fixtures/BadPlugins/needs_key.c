// Has a required setting: checks that make it are skipped until it is given.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("key"), .type = PLUG_TYPE_TEXT, .flags = PLUG_FLAG_REQUIRED | PLUG_FLAG_SECRET, .minimum = 1,
      .maximum = 100, .documentation = PLUG_LITERAL("The key.") },
};

PLUGBOARD_METADATA(needs_key, "com.example.needs-key", "1.0.0");
PLUGBOARD_PLUGIN(needs_key) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.needs-key"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Needs a key."),
    .priority = 500,
    .create = create,
    .settings = settings,
    .setting_count = 1,
};
