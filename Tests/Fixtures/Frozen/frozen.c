// A plugin of the time when revision 1 was released: it uses the frozen header, and nothing else.
#include "plugboard-1.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a kernel after revision 1 has in this test, as "plugboard.later/1"; the plugin works without it, too.
typedef struct later_v1 {
    int64_t (*number)(const plug_host_v1 *host);
} later_v1;

typedef struct frozen {
    const plug_host_v1 *host;
    const later_v1 *later;   // or NULL
    plug_metric closed;
    int64_t limit;
    uint64_t count;
    char value[];
} frozen;

typedef struct capitals {
    const plug_host_v1 *host;
    plug_body *inner;
    plug_pull open;
} capitals;

static void pulled(void *context, const plug_piece_v1 *piece) {
    capitals *self = context;
    if (piece->kind != PLUG_PIECE_BYTES) {
        self->host->pull_forward(self->host, self->open, piece);
        return;
    }
    char *bytes = malloc(piece->bytes.count);
    if (bytes == NULL) {
        self->host->pull_fail(self->host, self->open, PLUG_TEXT("frozen.memory"), PLUG_TEXT("There is no memory."));
        return;
    }
    for (uint64_t index = 0; index < piece->bytes.count; index++) {
        bytes[index] = (char)toupper((unsigned char)piece->bytes.bytes[index]);
    }
    self->host->pull_give(self->host, self->open, (plug_bytes){ bytes, piece->bytes.count, free, bytes });
}

static void pull(void *context, plug_pull number) {
    capitals *self = context;
    self->open = number;
    self->host->body_pull(self->inner, self, pulled);
}

static void release(void *context) {
    capitals *self = context;
    self->host->body_release(self->inner);
    free(self);
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plug_text value = {0};
    int64_t limit = 0;
    if (host->setting_text(settings, PLUG_TEXT("value"), &value) != PLUG_OK
        || host->setting_integer(settings, PLUG_TEXT("limit"), &limit) != PLUG_OK) {
        host->refuse(host, PLUG_TEXT("Its settings cannot be read."));
        return NULL;
    }
    frozen *self = calloc(1, sizeof *self + value.count);
    if (self == NULL) return NULL;
    self->host = host;
    self->limit = limit;
    self->count = value.count;
    memcpy(self->value, value.bytes, value.count);
    return self;
}

static plug_result start(void *context) {
    frozen *self = context;
    self->closed = self->host->counter(self->host, PLUG_TEXT("closed"));
    self->later = self->host->extension(self->host, PLUG_TEXT("plugboard.later/1"));
    return PLUG_OK;
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    frozen *self = context;
    const plug_host_v1 *host = self->host;
    plug_head *request = host->request(exchange);
    if (host->attribute(exchange, PLUG_TEXT("com.example.frozen.refuse")).bytes != NULL) {
        return host->fail(exchange, PLUG_TEXT("frozen.refused"), PLUG_TEXT("The request asked for it."));
    }
    host->set_field(request, PLUG_TEXT("x-frozen"), plug_make_text(self->value, self->count));
    int64_t *attempts = calloc(1, sizeof *attempts);
    if (attempts != NULL && host->set_exchange_state(exchange, attempts, free) != PLUG_OK) free(attempts);
    return PLUG_VERDICT_NEXT;
}

static plug_verdict on_response(void *context, plug_exchange *exchange) {
    frozen *self = context;
    const plug_host_v1 *host = self->host;
    int64_t *attempts = host->exchange_state(exchange);
    if (host->status(host->response(exchange)) == 503 && attempts != NULL && *attempts < self->limit
        && host->can_resend(exchange) == PLUG_OK) {
        *attempts += 1;
        return host->resend(exchange, 0);
    }
    plug_body *inner = host->take_response_body(exchange);
    capitals *body = inner == NULL ? NULL : calloc(1, sizeof *body);
    if (body == NULL) return PLUG_VERDICT_NEXT;
    *body = (capitals){ host, inner, 0 };
    plug_source_v1 source = { .context = body, .length = host->body_length(inner), .pull = pull, .release = release };
    host->set_response_body(exchange, host->body_of_source(host, &source));
    return PLUG_VERDICT_NEXT;
}

static void on_close(void *context, plug_exchange *exchange, plug_close outcome) {
    frozen *self = context;
    (void)exchange;
    if (outcome == PLUG_CLOSE_ENDED) self->host->metric_add(self->host, self->closed, 1);
}

static void command(void *context, plug_text name, plug_text arguments, plug_reply reply) {
    frozen *self = context;
    const plug_host_v1 *host = self->host;
    char number[24] = "null";
    if (self->later != NULL) snprintf(number, sizeof number, "%" PRId64, self->later->number(host));
    host->reply_json(host, reply, name.bytes[0] == 'e' ? arguments : plug_make_text(number, strlen(number)));
}

// What the plugin itself has beyond revision 1.
static int64_t twice(int64_t number) { return 2 * number; }
static const struct { int64_t (*twice)(int64_t number); } doubling = { twice };

static const void *extension(const plug_plugin_v1 *plugin, plug_text id) {
    static const char known[] = "com.example.frozen.doubling/1";
    (void)plugin;
    return id.count == sizeof known - 1 && memcmp(id.bytes, known, sizeof known - 1) == 0 ? &doubling : NULL;
}

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("value"), .type = PLUG_TYPE_TEXT, .fallback = PLUG_LITERAL("one"), .minimum = 1,
      .maximum = 20, .documentation = PLUG_LITERAL("What the field says.") },
    { .name = PLUG_LITERAL("limit"), .type = PLUG_TYPE_INTEGER, .fallback = PLUG_LITERAL("1"), .maximum = 9,
      .documentation = PLUG_LITERAL("How often it resends after 503.") },
};
static const plug_option_v1 attributes[] = {
    { .name = PLUG_LITERAL("refuse"), .type = PLUG_TYPE_BOOL,
      .documentation = PLUG_LITERAL("Whether the exchange fails.") },
};
static const plug_command_v1 commands[] = {
    { PLUG_LITERAL("echo"), PLUG_LITERAL("{}"), PLUG_LITERAL("Replies with its arguments."), 0 },
    { PLUG_LITERAL("later"), PLUG_LITERAL("{}"), PLUG_LITERAL("Replies with the number of a later kernel."), 0 },
};
static const plug_text needs[] = { PLUG_LITERAL("plugboard.later/1?") };

PLUGBOARD_METADATA(frozen, "com.example.frozen", "1.0.0");
PLUGBOARD_PLUGIN(frozen) {
    .abi_revision = PLUG_ABI_REVISION, .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE | PLUG_ON_CLOSE,
    .id = PLUG_LITERAL("com.example.frozen"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Uses what revision 1 has."), .priority = 450,
    .settings = settings, .setting_count = sizeof settings / sizeof *settings,
    .attributes = attributes, .attribute_count = sizeof attributes / sizeof *attributes,
    .commands = commands, .command_count = sizeof commands / sizeof *commands,
    .needs = needs, .need_count = 1,
    .create = create, .start = start, .destroy = free, .on_request = on_request, .on_response = on_response,
    .on_close = on_close, .command = command, .extension = extension,
};

// A kernel that knows revision 2 would ask for this first. Here it has no descriptor.
PLUG_EXPORT const void *frozen_LTX_plugboard_plugin_2(void);
const void *frozen_LTX_plugboard_plugin_2(void) { return NULL; }
