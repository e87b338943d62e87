// Has different versions in its section and its descriptor, as after an incomplete release. Fails `metadata`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

PLUGBOARD_METADATA(metadata_differs, "com.example.metadata-differs", "1.0.1");
PLUGBOARD_PLUGIN(metadata_differs) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.metadata-differs"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Contradicts itself."),
    .priority = 500,
    .create = create,
};
