// The service of another plugin: authorizes each request with the token that com.example.tokens/1 has for its host.
#include "tokens.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct bearer {
    const plug_host_v1 *host;
    const tokens_v1 *tokens;
} bearer;

// The plugin that provides the service is started before this one, and stopped after it.
static plug_result start(void *context) {
    bearer *self = context;
    self->tokens = self->host->service(self->host, PLUG_TEXT(TOKENS_1));
    return PLUG_OK;   // never NULL: the kernel does not start without what `needs` lists
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    bearer *self = context;
    plug_head *request = self->host->request(exchange);
    plug_url_parts_v1 url = {0};
    self->host->url_parts(self->host->url(request), &url);
    plug_text token = self->tokens->token(self->tokens->context, url.host);
    if (token.bytes == NULL) return PLUG_VERDICT_NEXT;
    char value[1024];
    int count = snprintf(value, sizeof value, "Bearer %.*s", (int)token.count, token.bytes);
    plug_text authorization = plug_make_text(value, (uint64_t)count);
    if (count >= (int)sizeof value
        || self->host->set_field(request, PLUG_TEXT("Authorization"), authorization) != PLUG_OK) {
        return self->host->fail(exchange, PLUG_TEXT("com.example.bearer.token"),
            PLUG_TEXT("The token for the request's host cannot be a field: it has a line break, or 1000 bytes."));
    }
    return PLUG_VERDICT_NEXT;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    (void)settings;
    bearer *self = calloc(1, sizeof *self);
    if (self != NULL) self->host = host;
    return self;
}

static const plug_text needs[] = { PLUG_LITERAL(TOKENS_1) };

PLUGBOARD_METADATA(bearer, "com.example.bearer", "1.0.0");
PLUGBOARD_PLUGIN(bearer) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.bearer"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Authorizes requests with tokens of another plugin."), .priority = 520,
    .hooks = PLUG_ON_REQUEST, .needs = needs, .need_count = 1,
    .create = create, .start = start, .destroy = free, .on_request = on_request,
};
