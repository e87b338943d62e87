// Marks each message: adds its id as `x-order` to requests and as `x-order-back` to responses, so that the fields show
// the order of the plugins both ways. Build it with -DPLUGIN_ID='"com.example.a"' -DPRIORITY=100, several times.
#include <plugboard.h>

#ifndef PLUGIN_ID
#define PLUGIN_ID "com.example.tagger"
#endif
#ifndef PRIORITY
#define PRIORITY 500
#endif

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    host->add_field(host->request(exchange), PLUG_TEXT("x-order"), PLUG_TEXT(PLUGIN_ID));
    return PLUG_VERDICT_NEXT;
}

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    host->add_field(host->response(exchange), PLUG_TEXT("x-order-back"), PLUG_TEXT(PLUGIN_ID));
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(tagger, PLUGIN_ID, "1.0.0");
PLUGBOARD_PLUGIN(tagger) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL(PLUGIN_ID),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Adds its id to the fields of requests and responses."),
    .priority = PRIORITY,
    .create = create,
    .on_request = on_request,
    .on_response = on_response,
};
