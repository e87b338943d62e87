// Returns PLUG_VERDICT_RESPOND without a response: a fault. It should have returned host->respond(…).
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) { return PLUG_VERDICT_RESPOND; }

PLUGBOARD_METADATA(naked_verdict, "com.example.naked-verdict", "1.0.0");
PLUGBOARD_PLUGIN(naked_verdict) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.naked-verdict"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Returns PLUG_VERDICT_RESPOND from on_request without a response."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
