// Hands one body in twice. Fails every check that sends requests.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_bytes bytes = { "hello", 5, 0, 0 };
    plug_body *body = host->body_of_bytes(host, bytes);
    host->set_request_body(exchange, body);
    host->set_request_body(exchange, body);
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(one_body_twice, "com.example.one-body-twice", "1.0.0");
PLUGBOARD_PLUGIN(one_body_twice) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.one-body-twice"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Hands one body in twice."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
