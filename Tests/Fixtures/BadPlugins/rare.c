// Crashes only where a DELETE is sent again, which is rare. Crashes `fuzz`.
#include <plugboard.h>
#include <stdlib.h>
#include <string.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static void on_close(void *self, plug_exchange *exchange, plug_close outcome) {
    const plug_host_v1 *host = self;
    plug_text method = host->method(host->request(exchange));
    if (outcome == PLUG_CLOSE_RESENT && method.count == 6 && memcmp(method.bytes, "DELETE", 6) == 0) abort();
}

PLUGBOARD_METADATA(rare, "com.example.rare", "1.0.0");
PLUGBOARD_PLUGIN(rare) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_CLOSE,
    .id = PLUG_LITERAL("com.example.rare"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Breaks rarely."),
    .priority = 500,
    .create = create,
    .on_close = on_close,
};
