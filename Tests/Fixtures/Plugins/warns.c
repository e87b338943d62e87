// Logs a warning at each progress of an exchange.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static void on_event(void *self, plug_exchange *exchange, const plug_event *event) {
    const plug_host_v1 *host = self;
    host->log(host, PLUG_LOG_WARNING, PLUG_TEXT("bytes have come"));
}

static void destroy(void *self) {}

static const plug_text events[] = { PLUG_LITERAL("progress") };

PLUGBOARD_METADATA(warns, "com.example.warns", "1.0.0");
PLUGBOARD_PLUGIN(warns) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_EVENT,
    .id = PLUG_LITERAL("com.example.warns"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Logs a warning at each progress."),
    .priority = 500,
    .events = events,
    .event_count = 1,
    .create = create,
    .on_event = on_event,
    .destroy = destroy,
};
