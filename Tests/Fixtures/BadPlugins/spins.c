// Never returns from a hook. Fails `defaults`, which names the hook.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    for (volatile int turning = 1; turning;) {}
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(spins, "com.example.spins", "1.0.0");
PLUGBOARD_PLUGIN(spins) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.spins"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Runs without end."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
