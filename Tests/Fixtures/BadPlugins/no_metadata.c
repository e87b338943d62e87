// Has no section, so that its id and version cannot be read without running it. `metadata` warns.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

PLUGBOARD_PLUGIN(no_metadata) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.no-metadata"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Has no metadata."),
    .priority = 500,
    .create = create,
};
