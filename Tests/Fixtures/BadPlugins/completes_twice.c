// Completes each pull with its piece, and then again with the end. Fails `pulls`.
#include <plugboard.h>
#include <stdlib.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

typedef struct source {
    const plug_host_v1 *host;
    plug_body *inner;
    plug_pull open;
} source;

static void pulled(void *context, const plug_piece_v1 *piece) {
    source self = *(source *)context;
    self.host->pull_forward(self.host, self.open, piece);
    self.host->pull_end(self.host, self.open, NULL, 0);
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

PLUGBOARD_METADATA(completes_twice, "com.example.completes-twice", "1.0.0");
PLUGBOARD_PLUGIN(completes_twice) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.completes-twice"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Completes pulls twice."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
};
