// Uses an extension of the host without checking that it exists. Crashes `bare-host`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    const volatile uint32_t *revision = host->extension(host, PLUG_TEXT("com.example.gauge/1"));
    return *revision == 0 ? PLUG_VERDICT_NEXT : PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(needs_extension, "com.example.needs-extension", "1.0.0");
PLUGBOARD_PLUGIN(needs_extension) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.needs-extension"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Expects an extension."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
