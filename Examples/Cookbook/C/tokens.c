// A service for other plugins: provides the tokens of its settings. See tokens.h.
#include "tokens.h"

#include <stdlib.h>
#include <string.h>

#define MOST 100

typedef struct tokens {
    tokens_v1 service;
    uint64_t count;
    struct { plug_text host, token; } entries[MOST];   // texts of its own
} tokens;

static plug_text token(void *context, plug_text host) {
    const tokens *self = context;
    for (uint64_t i = 0; i < self->count; i++) {
        plug_text own = self->entries[i].host;
        if (own.count == host.count && memcmp(own.bytes, host.bytes, host.count) == 0) return self->entries[i].token;
    }
    return (plug_text){0};
}

// Called after `start`, and before the plugins that need it are started.
static const void *service(void *context, plug_text id) {
    (void)id;   // there is only one
    tokens *self = context;
    return &self->service;
}

// Returns {NULL, 0} if there is no memory.
static plug_text copy(plug_text text) {
    char *bytes = malloc(text.count + 1);
    if (bytes != NULL && text.count > 0) memcpy(bytes, text.bytes, text.count);
    return bytes == NULL ? (plug_text){0} : plug_make_text(bytes, text.count);
}

static void destroy(void *context) {
    tokens *self = context;
    for (uint64_t i = 0; i < self->count; i++) {
        free((char *)self->entries[i].host.bytes);
        free((char *)self->entries[i].token.bytes);
    }
    free(self);
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    tokens *self = calloc(1, sizeof *self);
    plug_field item;
    while (self != NULL && host->setting_item(settings, PLUG_TEXT("tokens"), self->count, &item) == PLUG_OK) {
        uint64_t index = self->count++;
        self->entries[index].host = copy(item.name);
        self->entries[index].token = copy(item.value);
        if (self->entries[index].host.bytes != NULL && self->entries[index].token.bytes != NULL) continue;
        destroy(self);
        self = NULL;
    }
    if (self == NULL) return host->refuse(host, PLUG_TEXT("there is no memory for it")), NULL;
    self->service = (tokens_v1){ .context = self, .token = token };
    return self;
}

static const plug_option_v1 settings[] = {{
    .name = PLUG_LITERAL("tokens"), .type = PLUG_TYPE_MAP, .flags = PLUG_FLAG_SECRET, .fallback = PLUG_LITERAL("{}"),
    .maximum = MOST, .documentation = PLUG_LITERAL("The token for each host."),
}};
static const plug_text provides[] = { PLUG_LITERAL(TOKENS_1) };

PLUGBOARD_METADATA(tokens, "com.example.tokens", "1.0.0");
PLUGBOARD_PLUGIN(tokens) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.tokens"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Provides tokens for hosts."), .priority = 500,
    .settings = settings, .setting_count = 1, .provides = provides, .provide_count = 1,
    .create = create, .service = service, .destroy = destroy,
};
