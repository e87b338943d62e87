// Lists all hooks and does nothing: to measure the cost of calling a plugin.
// Build it several times, with -DPLUGIN_ID='"com.example.first"' and so on.
#include <plugboard.h>

#ifndef PLUGIN_ID
#define PLUGIN_ID "com.example.does-nothing"
#endif

// The host is the only state.
static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_head(void *self, plug_exchange *exchange) { return PLUG_VERDICT_NEXT; }
static void on_close(void *self, plug_exchange *exchange, plug_close outcome) {}
static void on_event(void *self, plug_exchange *exchange, const plug_event *event) {}

PLUGBOARD_METADATA(does_nothing, PLUGIN_ID, "1.0.0");
PLUGBOARD_PLUGIN(does_nothing) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE | PLUG_ON_FAILURE | PLUG_ON_CLOSE | PLUG_ON_EVENT,
    .id = PLUG_LITERAL(PLUGIN_ID),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Lists all hooks and does nothing."),
    .priority = 500,
    .create = create,
    .on_request = on_head,
    .on_response = on_head,
    .on_failure = on_head,
    .on_close = on_close,
    .on_event = on_event,
};
