// Expects that only exchanges with a response are suspended. Crashes `suspension`.
#include <plugboard.h>
#include <stdlib.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    host->set_turn_state(exchange, calloc(1, 64), free);
    return PLUG_VERDICT_NEXT;
}

static void on_event(void *self, plug_exchange *exchange, const plug_event *event) {
    const plug_host_v1 *host = self;
    ++*(volatile uint32_t *)host->turn_state(exchange);
}

static const plug_text events[] = { PLUG_LITERAL("suspended") };

PLUGBOARD_METADATA(resumes_blindly, "com.example.resumes-blindly", "1.0.0");
PLUGBOARD_PLUGIN(resumes_blindly) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE | PLUG_ON_EVENT,
    .id = PLUG_LITERAL("com.example.resumes-blindly"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Counts suspensions."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
    .on_event = on_event,
    .events = events,
    .event_count = 1,
};
