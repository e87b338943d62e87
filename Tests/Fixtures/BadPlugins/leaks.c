// Leaks a little memory in each exchange. Fails `leaks`.
#include <plugboard.h>
#include <stdlib.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    static void *volatile forgotten;
    forgotten = malloc(16);
    return forgotten ? PLUG_VERDICT_NEXT : PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(leaks, "com.example.leaks", "1.0.0");
PLUGBOARD_PLUGIN(leaks) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.leaks"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Leaks memory."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
