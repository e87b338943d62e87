// Completes each pull of the response's body twice at once, from the loop and from a thread. Tells what the two calls
// returned as the event `com.example.double-completion.codes`, in the details `loop` and `thread`: one is PLUG_OK, the
// other PLUG_STALE.
#include <plugboard.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct source {
    const plug_host_v1 *host;
    plug_exchange_id exchange;
    plug_body *inner;
    plug_pull open;
} source;

typedef struct completion {
    const plug_host_v1 *host;
    plug_pull pull;
    const plug_piece_v1 *piece;
    uint32_t code;
} completion;

static void *give(void *context) {
    completion *mine = context;
    const plug_host_v1 *host = mine->host;
    const plug_piece_v1 *piece = mine->piece;
    switch (piece->kind) {
    case PLUG_PIECE_BYTES:
        mine->code =
            host->pull_give(host, mine->pull, (plug_bytes){ piece->bytes.bytes, piece->bytes.count, NULL, NULL });
        break;
    case PLUG_PIECE_END: mine->code = host->pull_end(host, mine->pull, NULL, 0); break;
    default: mine->code = host->pull_fail(host, mine->pull, piece->code, piece->reason); break;
    }
    return NULL;
}

static void pulled(void *context, const plug_piece_v1 *piece) {
    // The first completion may release the source, or pull again: from there on only these copies are used.
    source whole = *(source *)context;
    completion loop = { whole.host, whole.open, piece, UINT32_MAX }, other = loop;
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, give, &other);
    give(&loop);
    // The piece is valid until this function returns, so the thread has to be done.
    if (!failed) pthread_join(thread, NULL);
    char digits[2][12];
    plug_field details[2] = {
        { PLUG_TEXT("loop"), { digits[0], (uint64_t)snprintf(digits[0], sizeof digits[0], "%u", loop.code) } },
        { PLUG_TEXT("thread"), { digits[1], (uint64_t)snprintf(digits[1], sizeof digits[1], "%u", other.code) } },
    };
    whole.host->publish_event(whole.host, whole.exchange, PLUG_TEXT("com.example.double-completion.codes"), details, 2);
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

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    source *wrapped = calloc(1, sizeof *wrapped);
    if (!wrapped) return host->fault(exchange, PLUG_TEXT("there is no memory"));
    *wrapped = (source){ host, host->exchange_id(exchange), host->take_response_body(exchange), 0 };
    if (!wrapped->inner) {
        free(wrapped);
        return PLUG_VERDICT_NEXT;
    }
    uint64_t length = host->body_length(wrapped->inner);
    plug_source_v1 outer = { .context = wrapped, .length = length, .pull = pull, .release = release };
    host->set_response_body(exchange, host->body_of_source(host, &outer));
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(double_completion, "com.example.double-completion", "1.0.0");
PLUGBOARD_PLUGIN(double_completion) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.double-completion"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Completes each pull of the response's body twice."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
};
