// Marks the first byte of each piece, although the borders of pieces have no meaning. Fails `pieces`.
#include <plugboard.h>
#include <stdlib.h>
#include <string.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

typedef struct source {
    const plug_host_v1 *host;
    plug_body *inner;
    plug_pull open;
} source;

static void pulled(void *context, const plug_piece_v1 *piece) {
    source *self = context;
    if (piece->kind != PLUG_PIECE_BYTES || piece->bytes.count == 0) {
        self->host->pull_forward(self->host, self->open, piece);
        return;
    }
    char *copy = malloc(piece->bytes.count);
    if (!copy) abort();
    memcpy(copy, piece->bytes.bytes, piece->bytes.count);
    copy[0] = '#';
    self->host->pull_give(self->host, self->open, (plug_bytes){ copy, piece->bytes.count, free, copy });
}

static void pull(void *context, plug_pull number) {
    source *self = context;
    self->open = number;
    self->host->body_pull(self->inner, self, pulled);
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

PLUGBOARD_METADATA(marks_pieces, "com.example.marks-pieces", "1.0.0");
PLUGBOARD_PLUGIN(marks_pieces) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.marks-pieces"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Takes pieces for records."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
};
