// Waits without a deadline and never wakes its ticket. Fails `defaults`, by the time that it takes.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_ticket ticket;
    return host->wait(exchange, -1, &ticket);
}

PLUGBOARD_METADATA(never_wakes, "com.example.never-wakes", "1.0.0");
PLUGBOARD_PLUGIN(never_wakes) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.never-wakes"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Waits without end."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
