// Pulls the body that it wraps on a thread of its own. Fails `pulls`, and every check with a body.
#include <plugboard.h>
#include <pthread.h>
#include <stdlib.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

typedef struct source {
    const plug_host_v1 *host;
    plug_body *inner;
    plug_pull open;
} source;

static void pulled(void *context, const plug_piece_v1 *piece) {
    source *self = context;
    self->host->pull_forward(self->host, self->open, piece);
}

static void *from_elsewhere(void *context) {
    source *self = context;
    self->host->body_pull(self->inner, self, pulled);
    return NULL;
}

static void pull(void *context, plug_pull number) {
    source *self = context;
    self->open = number;
    // Nothing else runs meanwhile: only the rule is broken, and the kernel's memory is not damaged.
    pthread_t thread;
    if (pthread_create(&thread, NULL, from_elsewhere, self) == 0) pthread_join(thread, NULL);
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

PLUGBOARD_METADATA(pulls_elsewhere, "com.example.pulls-elsewhere", "1.0.0");
PLUGBOARD_PLUGIN(pulls_elsewhere) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.pulls-elsewhere"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Pulls on another thread."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
};
