// Wrapping a body in C: a source around the response's body passes each piece on as it is, and counts its bytes.
#include "plugboard.h"

#include <stdlib.h>

typedef struct meter {
    const plug_host_v1 *host;
    plug_metric bytes;
} meter;

// One wrapped body. A pull of it is open while the inner body is pulled.
typedef struct metered {
    meter *plugin;
    plug_body *inner;
    plug_pull open;
} metered;

static void pulled(void *context, const plug_piece_v1 *piece) {
    metered *self = context;
    const plug_host_v1 *host = self->plugin->host;
    if (piece->kind == PLUG_PIECE_BYTES) host->metric_add(host, self->plugin->bytes, (int64_t)piece->bytes.count);
    host->pull_forward(host, self->open, piece);
}

static void pull(void *context, plug_pull pull) {
    metered *self = context;
    self->open = pull;
    self->plugin->host->body_pull(self->inner, self, pulled);
}

static plug_result rewind_metered(void *context) {
    metered *self = context;
    return self->plugin->host->body_rewind(self->inner);
}

static void release(void *context) {
    metered *self = context;
    self->plugin->host->body_release(self->inner);
    free(self);
}

static plug_verdict on_response(void *context, plug_exchange *exchange) {
    meter *self = context;
    metered *wrapped = malloc(sizeof *wrapped);
    if (wrapped == NULL) return self->host->fault(exchange, PLUG_TEXT("there is no memory for a body"));
    plug_body *inner = self->host->take_response_body(exchange);
    if (inner == NULL) {   // HEAD, 204, 304
        free(wrapped);
        return PLUG_VERDICT_NEXT;
    }
    *wrapped = (metered){ .plugin = self, .inner = inner };
    plug_source_v1 source = {
        .context = wrapped, .length = self->host->body_length(inner), .pull = pull,
        .rewind = self->host->body_can_rewind(inner) ? rewind_metered : NULL, .release = release,
    };
    self->host->set_response_body(exchange, self->host->body_of_source(self->host, &source));
    return PLUG_VERDICT_NEXT;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    (void)settings;
    meter *self = calloc(1, sizeof *self);
    if (self == NULL) host->refuse(host, PLUG_TEXT("there is no memory for it"));
    else self->host = host;
    return self;
}

static plug_result start(void *context) {
    meter *self = context;
    self->bytes = self->host->counter(self->host, PLUG_TEXT("bytes"));
    return PLUG_OK;
}

PLUGBOARD_METADATA(meter, "com.example.meter", "1.0.0");
PLUGBOARD_PLUGIN(meter) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.meter"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Counts the bytes of responses."), .priority = 60, .hooks = PLUG_ON_RESPONSE,
    .create = create, .start = start, .destroy = free, .on_response = on_response,
};
