// Cannot be created, and says why.
#include <plugboard.h>
#include <stddef.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    host->refuse(host, PLUG_TEXT("the moon is not full"));
    return NULL;
}

static plug_verdict on_request(void *self, plug_exchange *exchange) { return PLUG_VERDICT_NEXT; }

PLUGBOARD_METADATA(create_fails, "com.example.create-fails", "1.0.0");
PLUGBOARD_PLUGIN(create_fails) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.create-fails"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Refuses to be created."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
