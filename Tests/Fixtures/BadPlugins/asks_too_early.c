// Publishes an event in create, before any plugin can get it. Fails `lifetimes`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    host->publish_event(host, 0, PLUG_TEXT("com.example.asks-too-early.born"), (void *)0, 0);
    return (void *)host;
}

PLUGBOARD_METADATA(asks_too_early, "com.example.asks-too-early", "1.0.0");
PLUGBOARD_PLUGIN(asks_too_early) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.asks-too-early"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Asks too early."),
    .priority = 500,
    .create = create,
};
