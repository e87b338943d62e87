// Returns a number that is not a verdict, to a POST only. Fails `fuzz`, and every check that sends one.
#include <plugboard.h>
#include <string.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_text method = host->method(host->request(exchange));
    return method.count == 4 && memcmp(method.bytes, "POST", 4) == 0 ? 77 : PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(no_verdict, "com.example.no-verdict", "1.0.0");
PLUGBOARD_PLUGIN(no_verdict) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.no-verdict"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Returns an unknown verdict."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
