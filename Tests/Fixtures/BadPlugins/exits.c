// Ends the process at a failure. Crashes `defaults`.
#include <plugboard.h>
#include <unistd.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) { _exit(3); }

PLUGBOARD_METADATA(exits, "com.example.exits", "1.0.0");
PLUGBOARD_PLUGIN(exits) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.exits"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Ends the process."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
