// A plugin in C whose hook does nothing.
#include "idle_c.h"

static int self;
static void *create(const plug_host_v1 *host, const plug_settings *settings) { return &self; }
static void destroy(void *instance) {}
static plug_verdict on_request(void *instance, plug_exchange *exchange) { return PLUG_VERDICT_NEXT; }

PLUGBOARD_METADATA(idle_c, "com.example.idle-c", "1.0.0");
PLUGBOARD_PLUGIN(idle_c) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.idle-c"),
    .version = PLUG_LITERAL("1.0.0"),
    .priority = 500,
    .hooks = PLUG_ON_REQUEST,
    .create = create,
    .destroy = destroy,
    .on_request = on_request,
};
