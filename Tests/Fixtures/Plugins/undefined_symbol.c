// Calls a function that no library has. Bound lazily, it would end the process at its first call.
#include <plugboard.h>

extern uint32_t undefined_decision(plug_exchange *exchange);

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) { return undefined_decision(exchange); }

PLUGBOARD_METADATA(undefined_symbol, "com.example.undefined-symbol", "1.0.0");
PLUGBOARD_PLUGIN(undefined_symbol) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.undefined-symbol"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Needs a function that no library has."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
