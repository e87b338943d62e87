// Returns a number that is not a verdict: a fault.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) { return 77; }

PLUGBOARD_METADATA(unknown_verdict, "com.example.unknown-verdict", "1.0.0");
PLUGBOARD_PLUGIN(unknown_verdict) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.unknown-verdict"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Returns 77 from on_request."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
