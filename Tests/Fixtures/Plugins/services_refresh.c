// One token for all exchanges: the first one sends a detached sub-request, the others take tickets, and the
// sub-response wakes them all. Each request carries the token in `x-token`, or fails.
#include <plugboard.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ID "com.example.services-refresh"
#define MOST 64

typedef struct plugin {
    const plug_host_v1 *host;
    pthread_mutex_t lock;   // holds what follows
    char token[64];
    size_t length;
    plug_ticket waiting[MOST];
    size_t count;
    int is_fetching, has_failed;
    plug_body *body;        // of the sub-response, while it is read
} plugin;

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plugin *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->host = host;
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void destroy(void *context) {
    plugin *self = context;
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static void finish(plugin *self, int has_failed) {
    plug_ticket waiting[MOST];
    pthread_mutex_lock(&self->lock);
    size_t count = self->count;
    memcpy(waiting, self->waiting, count * sizeof *waiting);
    self->count = 0;
    self->is_fetching = 0;
    self->has_failed = has_failed;
    if (has_failed) self->length = 0;
    pthread_mutex_unlock(&self->lock);
    for (size_t i = 0; i < count; i++) self->host->wake(self->host, waiting[i]);
}

static void read_on(void *context, const plug_piece_v1 *piece) {
    plugin *self = context;
    if (piece->kind == PLUG_PIECE_BYTES && self->length + piece->bytes.count <= sizeof self->token) {
        pthread_mutex_lock(&self->lock);
        memcpy(self->token + self->length, piece->bytes.bytes, piece->bytes.count);
        self->length += piece->bytes.count;
        pthread_mutex_unlock(&self->lock);
        self->host->body_pull(self->body, self, read_on);
        return;
    }
    self->host->body_release(self->body);
    finish(self, piece->kind != PLUG_PIECE_END);
}

static void completed(void *context, plug_subresponse *subresponse) {
    plugin *self = context;
    plug_head *head = self->host->subresponse_head(subresponse);
    self->body = head && self->host->status(head) == 200 ? self->host->subresponse_take_body(subresponse) : NULL;
    if (self->body) self->host->body_pull(self->body, self, read_on);
    else finish(self, 1);
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    plugin *self = context;
    const plug_host_v1 *host = self->host;
    plug_ticket ticket;
    int is_first = 0, is_waiting = 0;
    plug_verdict verdict = PLUG_VERDICT_NEXT;
    pthread_mutex_lock(&self->lock);
    int is_ready = self->length > 0 && !self->is_fetching;
    if (is_ready) {
        host->set_field(host->request(exchange), PLUG_TEXT("x-token"), plug_make_text(self->token, self->length));
    } else if ((host->visit(exchange) == PLUG_VISIT_FIRST || !self->has_failed) && self->count < MOST) {
        verdict = host->wait(exchange, -1, &ticket);
        self->waiting[self->count++] = ticket;
        is_first = !self->is_fetching;
        is_waiting = self->is_fetching = 1;
    }
    pthread_mutex_unlock(&self->lock);
    if (is_ready) return PLUG_VERDICT_NEXT;
    if (!is_waiting) return host->fail(exchange, PLUG_TEXT(ID ".refused"), PLUG_TEXT("There is not a token."));
    if (is_first) {
        plug_subrequest_v1 request = {
            .method = PLUG_TEXT("POST"), .url = PLUG_TEXT("http://tokens.test/"), .flags = PLUG_SUBREQUEST_DETACHED,
        };
        host->send_subrequest(host, 0, &request, self, completed);
    }
    return verdict;
}

PLUGBOARD_METADATA(services_refresh, ID, "1.0.0");
PLUGBOARD_PLUGIN(services_refresh) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL(ID),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Fetches one token for all exchanges that wait."),
    .priority = 500,
    .hooks = PLUG_ON_REQUEST,
    .create = create,
    .destroy = destroy,
    .on_request = on_request,
};
