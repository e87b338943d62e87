// Makes a body and neither sets nor releases it. Fails `cancellation`, and every check that sends an exchange.
#include <plugboard.h>
#include <stddef.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    host->body_of_bytes(host, (plug_bytes){ "kept", 4, NULL, NULL });
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(keeps_body, "com.example.keeps-body", "1.0.0");
PLUGBOARD_PLUGIN(keeps_body) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.keeps-body"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Never releases a body."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
