// Sleeps in a hook, as reading a file or asking a name server may. `pace` warns.
#include <plugboard.h>
#include <time.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    nanosleep(&(struct timespec){ 0, 25000000 }, NULL);
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(sleeps, "com.example.sleeps", "1.0.0");
PLUGBOARD_PLUGIN(sleeps) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.sleeps"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Holds the loop."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
