// The store of a fleet in C: numbers the requests of all processes, by a counter in the service plugboard.store/1. When
// there is no number within 50 ms, the request goes without one: an outage of the engine must not stop it.
#include "plugboard-store.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tally {
    const plug_host_v1 *host;
    const plug_store_v1 *store;   // NULL where no plugin provides it
} tally;

// Shared by the exchange and its call of the store. Both release it, in either order, on any thread.
typedef struct question {
    const plug_host_v1 *host;
    plug_ticket ticket;
    atomic_uint holders;
    _Atomic int64_t number;   // 0 without one
} question;

static void release(void *state) {
    question *self = state;
    if (atomic_fetch_sub(&self->holders, 1) == 1) free(self);
}

// Runs exactly once, on any thread.
static void done(void *context, const plug_store_reply_v1 *reply) {
    question *self = context;
    if (reply->result == PLUG_STORE_DONE) atomic_store(&self->number, reply->number);
    self->host->wake(self->host, self->ticket);   // PLUG_STALE if the exchange does not wait any more
    release(self);
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    tally *self = context;
    const plug_host_v1 *host = self->host;
    if (self->store == NULL) return PLUG_VERDICT_NEXT;
    if (host->visit(exchange) != PLUG_VISIT_FIRST) {
        question *question = host->exchange_state(exchange);
        int64_t number = atomic_load(&question->number);
        char text[24];
        int count = snprintf(text, sizeof text, "%lld", (long long)number);
        plug_text value = plug_make_text(text, (uint64_t)count);
        if (number > 0) host->set_field(host->request(exchange), PLUG_TEXT("x-number"), value);
        return PLUG_VERDICT_NEXT;
    }
    question *question = calloc(1, sizeof *question);
    if (question == NULL) return PLUG_VERDICT_NEXT;
    question->host = host;
    atomic_init(&question->holders, 2);
    host->set_exchange_state(exchange, question, release);
    plug_verdict verdict = host->wait(exchange, 100000000, &question->ticket);   // if the store does not
    plug_store_call_v1 call = { .within = 50000000, .context = question, .done = done };
    self->store->add(self->store->context, &call, PLUG_TEXT("com.example.tally/1/count"), 1, INT64_C(86400000000000));
    return verdict;
}

static plug_result start(void *context) {
    tally *self = context;
    self->store = self->host->service(self->host, PLUG_TEXT(PLUG_STORE_1));
    return PLUG_OK;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    (void)settings;
    tally *self = calloc(1, sizeof *self);
    if (self == NULL) return host->refuse(host, PLUG_TEXT("there is no memory for it")), NULL;
    self->host = host;
    return self;
}

// With `?`, the kernel also starts without the service.
static const plug_text needs[] = { PLUG_LITERAL(PLUG_STORE_1 "?") };

PLUGBOARD_METADATA(tally, "com.example.tally", "1.0.0");
PLUGBOARD_PLUGIN(tally) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.tally"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Numbers the requests of a fleet."), .priority = 300, .hooks = PLUG_ON_REQUEST,
    .needs = needs, .need_count = 1, .create = create, .start = start, .destroy = free, .on_request = on_request,
};
