// Ends the process at a response that only its own server sends: status 207 with x-kind: report.
#include <plugboard.h>
#include <stdlib.h>
#include <string.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_head *head = host->response(exchange);
    plug_text kind = host->field(head, PLUG_TEXT("x-kind"));
    if (host->status(head) == 207 && kind.count == 6 && memcmp(kind.bytes, "report", 6) == 0) abort();
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(marks_sample, "com.example.marks-sample", "1.0.0");
PLUGBOARD_PLUGIN(marks_sample) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.marks-sample"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Ends the process at one response."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
};
