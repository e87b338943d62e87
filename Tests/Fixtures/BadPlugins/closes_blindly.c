// Makes its state in on_response, and uses it in on_close even if there was no response. Crashes `cancellation`.
#include <plugboard.h>
#include <stdlib.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    host->set_turn_state(exchange, calloc(1, 64), free);
    return PLUG_VERDICT_NEXT;
}

static plug_verdict on_failure(void *self, plug_exchange *exchange) { return on_response(self, exchange); }

static void on_close(void *self, plug_exchange *exchange, plug_close outcome) {
    const plug_host_v1 *host = self;
    *(volatile uint32_t *)host->turn_state(exchange) = outcome;
}

PLUGBOARD_METADATA(closes_blindly, "com.example.closes-blindly", "1.0.0");
PLUGBOARD_PLUGIN(closes_blindly) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE | PLUG_ON_FAILURE | PLUG_ON_CLOSE,
    .id = PLUG_LITERAL("com.example.closes-blindly"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Expects a response."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
    .on_failure = on_failure,
    .on_close = on_close,
};
