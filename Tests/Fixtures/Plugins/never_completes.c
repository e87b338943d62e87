// Responds with a body whose source never completes a pull. A timeout or a cancel ends the exchange and releases the
// source.
#include <plugboard.h>
#include <stddef.h>

static void pull(void *context, plug_pull number) {}

static void release(void *context) {
    const plug_host_v1 *host = context;
    host->metric_add(host, host->counter(host, PLUG_TEXT("released")), 1);
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_source_v1 silent = { .context = self, .length = PLUG_LENGTH_UNKNOWN, .pull = pull, .release = release };
    return host->respond(exchange, 200, NULL, 0, host->body_of_source(host, &silent));
}

PLUGBOARD_METADATA(never_completes, "com.example.never-completes", "1.0.0");
PLUGBOARD_PLUGIN(never_completes) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.never-completes"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Responds with a body that never comes."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
