// Is created, and refuses to start. The plugins that started before it are stopped again, in reverse order.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_result start(void *self) {
    const plug_host_v1 *host = self;
    host->refuse(host, PLUG_TEXT("the harbour is closed"));
    return PLUG_UNSUPPORTED;
}

static plug_verdict on_request(void *self, plug_exchange *exchange) { return PLUG_VERDICT_NEXT; }

PLUGBOARD_METADATA(start_fails, "com.example.start-fails", "1.0.0");
PLUGBOARD_PLUGIN(start_fails) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.start-fails"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Refuses to start."),
    .priority = 500,
    .create = create,
    .start = start,
    .on_request = on_request,
};
