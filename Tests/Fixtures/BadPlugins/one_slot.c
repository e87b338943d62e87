// Keeps the state of each exchange in one variable for all of them. Fails `parallel`.
#include <plugboard.h>
#include <string.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static char last[64];
static uint64_t count;

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_text url = host->url(host->request(exchange));
    count = url.count < sizeof last ? url.count : sizeof last;
    memcpy(last, url.bytes + (url.count - count), count);
    return PLUG_VERDICT_NEXT;
}

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_body *body = host->body_of_bytes(host, (plug_bytes){ last, count, NULL, NULL });
    return host->respond(exchange, 200, NULL, 0, body);
}

PLUGBOARD_METADATA(one_slot, "com.example.one-slot", "1.0.0");
PLUGBOARD_PLUGIN(one_slot) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.one-slot"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Responds with the URL."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
    .on_response = on_response,
};
