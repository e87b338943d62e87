// Reads a setting that its table does not list, so that no configuration can set it. Fails `unknown-settings`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    int64_t limit = 3;
    host->setting_integer(settings, PLUG_TEXT("limit"), &limit);
    return (void *)host;
}

PLUGBOARD_METADATA(asks_unlisted, "com.example.asks-unlisted", "1.0.0");
PLUGBOARD_PLUGIN(asks_unlisted) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.asks-unlisted"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Reads a setting that it does not list."),
    .priority = 500,
    .create = create,
};
