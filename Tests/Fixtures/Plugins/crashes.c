// A plugin that ends its process in the middle of a hook.
#include <plugboard.h>
#include <stdlib.h>

static int self;
static void *create(const plug_host_v1 *host, const plug_settings *settings) { return &self; }
static void destroy(void *instance) {}
static plug_verdict on_response(void *instance, plug_exchange *exchange) { abort(); }

PLUGBOARD_METADATA(crashes, "com.example.crashes", "1.0.0");
PLUGBOARD_PLUGIN(crashes) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.crashes"),
    .version = PLUG_LITERAL("1.0.0"),
    .priority = 500,
    .hooks = PLUG_ON_RESPONSE,
    .create = create,
    .destroy = destroy,
    .on_response = on_response,
};
