// Reads the whole body before it gives the first piece, one call deeper for each. Crashes `large-bodies`.
#include <plugboard.h>
#include <stdlib.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

typedef struct source {
    const plug_host_v1 *host;
    plug_body *inner;
    plug_pull open;
} source;

static void read_on(source *self);

static void pulled(void *context, const plug_piece_v1 *piece) {
    source *self = context;
    volatile char copy[262144];
    for (uint64_t i = 0; i < sizeof copy; i += 4096) copy[i] = (char)piece->kind;
    if (piece->kind == PLUG_PIECE_BYTES) read_on(self);
    else self->host->pull_end(self->host, self->open, NULL, 0);
    copy[0] = 0;
}

static void read_on(source *self) { self->host->body_pull(self->inner, self, pulled); }

static void pull(void *context, plug_pull number) {
    source *self = context;
    self->open = number;
    read_on(self);
}

static void release(void *context) {
    source *self = context;
    self->host->body_release(self->inner);
    free(self);
}

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_body *inner = host->take_response_body(exchange);
    if (!inner) return PLUG_VERDICT_NEXT;
    source *outer = calloc(1, sizeof *outer);
    if (!outer) abort();
    *outer = (source){ host, inner, 0 };
    plug_source_v1 table = { .context = outer, .length = PLUG_LENGTH_UNKNOWN, .pull = pull, .release = release };
    host->set_response_body(exchange, host->body_of_source(host, &table));
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(reads_ahead, "com.example.reads-ahead", "1.0.0");
PLUGBOARD_PLUGIN(reads_ahead) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.reads-ahead"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Reads ahead."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
};
