// Publishes an event `told` of each exchange. Build it with -DPLUGIN_ID='"com.example.a"', several times.
#include <plugboard.h>
#include <stddef.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    host->publish_event(host, host->exchange_id(exchange), PLUG_TEXT(PLUGIN_ID ".told"), NULL, 0);
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(teller, PLUGIN_ID, "1.0.0");
PLUGBOARD_PLUGIN(teller) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL(PLUGIN_ID),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Publishes an event of each exchange."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
