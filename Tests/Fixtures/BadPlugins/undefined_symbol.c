// Needs a function that no library has. Fails `load`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

void undefined_function(void);

static void stop(void *self, int64_t within) { undefined_function(); }

PLUGBOARD_METADATA(undefined_symbol, "com.example.undefined-symbol", "1.0.0");
PLUGBOARD_PLUGIN(undefined_symbol) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.undefined-symbol"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Calls an undefined function."),
    .priority = 500,
    .create = create,
    .stop = stop,
};
