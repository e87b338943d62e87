// Copies a field into a buffer of 256 bytes. Crashes `heads`.
#include <plugboard.h>
#include <assert.h>
#include <string.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_text value = host->field(host->response(exchange), PLUG_TEXT("etag"));
    char tag[256];
    assert(value.count < sizeof tag);
    memcpy(tag, value.count ? value.bytes : "", value.count);
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(small_buffer, "com.example.small-buffer", "1.0.0");
PLUGBOARD_PLUGIN(small_buffer) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.small-buffer"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Expects short fields."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
};
