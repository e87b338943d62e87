// Exports a common name beside its entry. `exports` warns.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

PLUG_EXPORT int compress_bytes(int level);
int compress_bytes(int level) { return level; }

PLUGBOARD_METADATA(exports_more, "com.example.exports-more", "1.0.0");
PLUGBOARD_PLUGIN(exports_more) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.exports-more"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Exports what it should hide."),
    .priority = 500,
    .create = create,
};
