// Has control sequences for terminals in the strings that are read without running it: escape sequences and a C1
// control.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }
static plug_verdict on_request(void *self, plug_exchange *exchange) { return PLUG_VERDICT_NEXT; }

PLUGBOARD_METADATA(steers, "com.example.steers\033[31m\302\233", "1.0.0\033[2J");
PLUGBOARD_PLUGIN(steers) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.steers"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Has escape sequences in its metadata."),
    .priority = 500,
    .hooks = PLUG_ON_REQUEST,
    .create = create,
    .on_request = on_request,
};
