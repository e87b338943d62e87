// Offers any extension that it is asked for. Fails `extension`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static const int table = 1;

static const void *extension(const plug_plugin_v1 *plugin, plug_text id) { return &table; }

PLUGBOARD_METADATA(offers_everything, "com.example.offers-everything", "1.0.0");
PLUGBOARD_PLUGIN(offers_everything) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.offers-everything"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Offers any extension."),
    .priority = 500,
    .create = create,
    .extension = extension,
};
