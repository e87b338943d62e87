// A business verdict for all programs: the service says in `x-result` what a response means. `ok` and no field let it
// pass, `ignore` ends the exchange without success and without failure, anything else is a failure.
#include "plugboard.h"

#include <stdlib.h>
#include <string.h>

typedef struct verdict {
    const plug_host_v1 *host;
} verdict;

static _Bool equals(plug_text text, const char *word) {
    return text.count == strlen(word) && memcmp(text.bytes, word, text.count) == 0;
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    verdict *self = context;
    self->host->set_field(self->host->request(exchange), PLUG_TEXT("x-app"), PLUG_TEXT("reader"));
    return PLUG_VERDICT_NEXT;
}

static plug_verdict on_response(void *context, plug_exchange *exchange) {
    verdict *self = context;
    plug_text result = self->host->field(self->host->response(exchange), PLUG_TEXT("x-result"));
    if (result.count == 0 || equals(result, "ok")) return PLUG_VERDICT_NEXT;
    if (equals(result, "ignore")) {
        return self->host->fail(exchange, PLUG_TEXT("ignored"), PLUG_TEXT("The service asks to ignore its response."));
    }
    return self->host->fail(exchange, PLUG_TEXT("com.example.verdict.refused"),
        PLUG_TEXT("The service refused the request. Its field x-result says why."));
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    (void)settings;
    verdict *self = calloc(1, sizeof *self);
    if (self == NULL) host->refuse(host, PLUG_TEXT("there is no memory for it"));
    else self->host = host;
    return self;
}

PLUGBOARD_METADATA(verdict, "com.example.verdict", "1.0.0");
PLUGBOARD_PLUGIN(verdict) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.verdict"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Judges responses by their field x-result."), .priority = 200,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE,
    .create = create, .destroy = free, .on_request = on_request, .on_response = on_response,
};
