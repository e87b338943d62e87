// Reads the first letter of a field's value, also of an empty one. Crashes `heads`.
#include <plugboard.h>
#include <assert.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_text value = host->field(host->response(exchange), PLUG_TEXT("etag"));
    if (!value.bytes) return PLUG_VERDICT_NEXT;
    assert(value.count > 0);
    return value.bytes[0] == 'W' ? PLUG_VERDICT_NEXT : PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(first_letter, "com.example.first-letter", "1.0.0");
PLUGBOARD_PLUGIN(first_letter) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.first-letter"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Expects that a field is not empty."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
};
