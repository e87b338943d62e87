// Makes a counter in create, where the host has none yet. Fails `lifetimes`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    host->counter(host, PLUG_TEXT("hits"));
    return (void *)host;
}

PLUGBOARD_METADATA(counts_too_early, "com.example.counts-too-early", "1.0.0");
PLUGBOARD_PLUGIN(counts_too_early) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.counts-too-early"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Asks too early."),
    .priority = 500,
    .create = create,
};
