// Has a version of two numbers, and lists events without the hook. Fails `descriptor`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static const plug_text events[] = { PLUG_LITERAL("completed") };

PLUGBOARD_METADATA(bad_version, "com.example.bad-version", "1.0");
PLUGBOARD_PLUGIN(bad_version) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.bad-version"),
    .version = PLUG_LITERAL("1.0"),
    .documentation = PLUG_LITERAL("Has a malformed descriptor."),
    .priority = 500,
    .create = create,
    .events = events,
    .event_count = 1,
};
