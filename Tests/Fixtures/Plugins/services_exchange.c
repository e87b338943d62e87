// Uses the services of an exchange as its attribute `do` says, and reports the results by fields of the request and by
// counters: `attributes`, `fields`, `state`, `event`, `inside`, `outermost`, `detached`, `orphan`.
#include <plugboard.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID "com.example.services-exchange"

typedef struct plugin {
    const plug_host_v1 *host;
    plug_metric closed, turns_released, exchanges_released, early_releases;
    _Atomic unsigned open;   // turns that are not closed yet
} plugin;

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plugin *self = calloc(1, sizeof *self);
    if (self) self->host = host;
    return self;
}

static plug_result start(void *context) {
    plugin *self = context;
    self->closed = self->host->counter(self->host, PLUG_TEXT("closed"));
    self->turns_released = self->host->counter(self->host, PLUG_TEXT("turns-released"));
    self->exchanges_released = self->host->counter(self->host, PLUG_TEXT("exchanges-released"));
    self->early_releases = self->host->counter(self->host, PLUG_TEXT("early-releases"));
    return PLUG_OK;
}

static void set_number(plugin *self, plug_exchange *exchange, const char *name, uint64_t number) {
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    self->host->set_field(self->host->request(exchange), plug_make_text(name, strlen(name)),
        plug_make_text(digits, (uint64_t)count));
}

// ---- attributes

static plug_verdict use_attributes(plugin *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self->host;
    plug_head *request = host->request(exchange);
    plug_text limit = host->attribute(exchange, PLUG_TEXT(ID ".limit"));
    if (limit.bytes) host->set_field(request, PLUG_TEXT("x-limit"), limit);
    set_number(self, exchange, "x-set", host->set_attribute(exchange, PLUG_TEXT(ID ".label"), PLUG_TEXT("set")));
    host->set_field(request, PLUG_TEXT("x-label"), host->attribute(exchange, PLUG_TEXT(ID ".label")));
    set_number(self, exchange, "x-none", host->attribute(exchange, PLUG_TEXT(ID ".none")).bytes == NULL);
    set_number(self, exchange, "x-bad", host->set_attribute(exchange, PLUG_TEXT(ID ".limit"), PLUG_TEXT("x")));
    set_number(self, exchange, "x-unknown", host->set_attribute(exchange, PLUG_TEXT(ID ".limt"), PLUG_TEXT("3")));
    set_number(self, exchange, "x-stranger", host->set_attribute(exchange, PLUG_TEXT("other.at"), PLUG_TEXT("home")));
    static char large[70000];
    memset(large, 'a', sizeof large);
    set_number(self, exchange, "x-too-large",
        host->set_attribute(exchange, PLUG_TEXT(ID ".label"), plug_make_text(large, sizeof large)));
    return PLUG_VERDICT_NEXT;
}

// ---- fields

// Reads the fields two at a time, and counts those that differ from what is told of them one by one.
static plug_verdict use_fields(plugin *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self->host;
    plug_head *request = host->request(exchange);
    plug_head_field_v1 found[2];
    uint64_t read = 0, secret = 0, different = 0, count = 2;
    while (count == 2) {
        count = host->read_fields(request, read, found, 2);
        for (uint64_t index = 0; index < count; index++) {
            plug_field field;
            if (host->field_at(request, read + index, &field) != PLUG_OK ||
                memcmp(&field, &found[index], sizeof field) != 0 || found[index].reserved != 0 ||
                host->is_secret(request, read + index) != (found[index].flags & PLUG_FLAG_SECRET)) {
                different++;
            }
            secret += found[index].flags & PLUG_FLAG_SECRET;
        }
        read += count;
    }
    different += host->field_count(request) != read;
    different += host->read_fields(request, UINT64_MAX, found, 2) != 0;
    different += host->read_fields(request, 0, found, 0) != 0;
    set_number(self, exchange, "x-read", read);
    set_number(self, exchange, "x-secret", secret);
    set_number(self, exchange, "x-different", different);
    return PLUG_VERDICT_NEXT;
}

// ---- state

typedef struct kept {
    plugin *self;
    plug_metric released;
} kept;

static void *keep(plugin *self, plug_metric released) {
    kept *state = malloc(sizeof *state);
    if (state) *state = (kept){ self, released };
    return state;
}

static void release(void *context) {
    kept *state = context;
    plugin *self = state->self;
    if (atomic_load(&self->open) > 0) self->host->metric_add(self->host, self->early_releases, 1);
    self->host->metric_add(self->host, state->released, 1);
    free(state);
}

static plug_verdict use_state(plugin *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self->host;
    atomic_fetch_add(&self->open, 1);
    host->set_turn_state(exchange, keep(self, self->turns_released), release);
    host->set_exchange_state(exchange, keep(self, self->exchanges_released), release);
    return PLUG_VERDICT_NEXT;
}

static void on_close(void *context, plug_exchange *exchange, plug_close outcome) {
    plugin *self = context;
    if (!self->host->turn_state(exchange) || !self->host->exchange_state(exchange)) return;
    atomic_fetch_sub(&self->open, 1);
    // Too late to publish anything to other plugins.
    if (self->host->set_attribute(exchange, PLUG_TEXT(ID ".label"), PLUG_TEXT("late")) == PLUG_WRONG_TIME) {
        self->host->metric_add(self->host, self->closed, 1);
    }
}

// ---- events

static plug_verdict use_event(plugin *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self->host;
    plug_exchange_id id = host->exchange_id(exchange);
    plug_field detail = { PLUG_TEXT("number"), PLUG_TEXT("42") };
    set_number(self, exchange, "x-own", host->publish_event(host, id, PLUG_TEXT(ID ".told"), &detail, 1));
    set_number(self, exchange, "x-others", host->publish_event(host, id, PLUG_TEXT("cache.hit"), &detail, 1));
    return PLUG_VERDICT_NEXT;
}

// ---- sub-requests: the exchange waits for the sub-response, and gets its status (0: it failed)

typedef struct asked {
    plugin *self;
    plug_ticket ticket;
    uint32_t status;
} asked;

static void forget_asked(void *state) { free(state); }

static void completed(void *context, plug_subresponse *subresponse) {
    asked *question = context;
    plug_head *head = question->self->host->subresponse_head(subresponse);
    question->status = head ? question->self->host->status(head) : 0;
    question->self->host->wake(question->self->host, question->ticket);
}

static plug_verdict ask(plugin *self, plug_exchange *exchange, plug_subrequest_flags flags, int has_asker) {
    const plug_host_v1 *host = self->host;
    asked *question = host->exchange_state(exchange);
    if (host->visit(exchange) == PLUG_VISIT_WOKEN) {
        set_number(self, exchange, "x-status", question->status);
        return PLUG_VERDICT_NEXT;
    }
    question = calloc(1, sizeof *question);
    if (!question) return host->fault(exchange, PLUG_TEXT("there is no memory"));
    question->self = self;
    host->set_exchange_state(exchange, question, forget_asked);
    plug_field field = { PLUG_TEXT("x-asked"), PLUG_TEXT("yes") };
    plug_subrequest_v1 request = {
        .method = PLUG_TEXT("GET"), .url = PLUG_TEXT("http://asked.test/"), .fields = &field, .field_count = 1,
        .flags = flags,
    };
    plug_verdict verdict = host->wait(exchange, -1, &question->ticket);
    host->send_subrequest(host, has_asker ? host->exchange_id(exchange) : 0, &request, question, completed);
    return verdict;
}

static int is(plug_text text, const char *word) {
    return text.count == strlen(word) && memcmp(text.bytes, word, text.count) == 0;
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    plugin *self = context;
    plug_text what = self->host->attribute(exchange, PLUG_TEXT(ID ".do"));
    if (!what.bytes) return PLUG_VERDICT_NEXT;
    if (is(what, "attributes")) return use_attributes(self, exchange);
    if (is(what, "fields")) return use_fields(self, exchange);
    if (is(what, "state")) return use_state(self, exchange);
    if (is(what, "event")) return use_event(self, exchange);
    if (is(what, "inside")) return ask(self, exchange, 0, 1);
    if (is(what, "outermost")) return ask(self, exchange, PLUG_SUBREQUEST_OUTERMOST, 1);
    if (is(what, "detached")) return ask(self, exchange, PLUG_SUBREQUEST_DETACHED, 0);
    if (is(what, "orphan")) return ask(self, exchange, 0, 0);
    return PLUG_VERDICT_NEXT;
}

static const plug_option_v1 attributes[] = {
    { .name = PLUG_LITERAL("do"), .type = PLUG_TYPE_TEXT,
      .choices = PLUG_LITERAL("attributes fields state event inside outermost detached orphan") },
    { .name = PLUG_LITERAL("label"), .type = PLUG_TYPE_TEXT },
    { .name = PLUG_LITERAL("limit"), .type = PLUG_TYPE_INTEGER, .minimum = 0, .maximum = 9 },
};

PLUGBOARD_METADATA(services_exchange, ID, "1.0.0");
PLUGBOARD_PLUGIN(services_exchange) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL(ID),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Uses the services of an exchange."),
    .priority = 500,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_CLOSE,
    .attributes = attributes,
    .attribute_count = sizeof attributes / sizeof *attributes,
    .create = create,
    .start = start,
    .destroy = free,
    .on_request = on_request,
    .on_close = on_close,
};
