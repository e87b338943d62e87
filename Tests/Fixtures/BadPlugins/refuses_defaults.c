// Needs a key that its table does not mark as required. Fails `defaults`.
#include <plugboard.h>
#include <stddef.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plug_text key = { 0 };
    host->setting_text(settings, PLUG_TEXT("key"), &key);
    if (key.count > 0) return (void *)host;
    host->refuse(host, PLUG_TEXT("there is no key"));
    return NULL;
}

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("key"), .type = PLUG_TYPE_TEXT, .documentation = PLUG_LITERAL("The key.") },
};

PLUGBOARD_METADATA(refuses_defaults, "com.example.refuses-defaults", "1.0.0");
PLUGBOARD_PLUGIN(refuses_defaults) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.refuses-defaults"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Refuses its own defaults."),
    .priority = 500,
    .create = create,
    .settings = settings,
    .setting_count = 1,
};
