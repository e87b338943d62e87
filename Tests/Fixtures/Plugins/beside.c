// Uses what a plugin may do beside exchanges, and copies of pieces and of requests. The field x-do says which.
#include <plugboard.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID "com.example.beside"

typedef struct plugin {
    const plug_host_v1 *host;
    plug_metric kept, pieces;
} plugin;

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    (void)settings;
    // None of the host's functions is NULL.
    for (void *const *function = (void *const *)&host->respond; function < (void *const *)(host + 1); function++) {
        if (*function != NULL) continue;
        host->refuse(host, PLUG_TEXT("A function of the host is NULL."));
        return NULL;
    }
    plugin *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    self->host = host;
    self->kept = host->counter(host, PLUG_TEXT("kept"));
    self->pieces = host->counter(host, PLUG_TEXT("pieces"));
    return self;
}

// ---- pieces: each goes to the reader, and is kept for another one

typedef struct fan {
    plugin *owner;
    plug_body *inner;
    plug_pull pull;
} fan;

static void pulled(void *context, const plug_piece_v1 *piece) {
    fan *self = context;
    const plug_host_v1 *host = self->owner->host;
    switch (piece->kind) {
    case PLUG_PIECE_BYTES: {
        plug_bytes one = {0}, other = {0};
        if (host->piece_keep(host, piece, &one) != PLUG_OK || host->piece_keep(host, piece, &other) != PLUG_OK) abort();
        if (one.bytes != piece->bytes.bytes || other.count != piece->bytes.count) abort();
        plug_piece_v1 own = *piece;
        if (host->piece_keep(host, &own, &one) != PLUG_WRONG_TIME) abort();
        host->pull_give(host, self->pull, one);
        host->metric_add(host, self->owner->kept, (int64_t)other.count);
        host->metric_add(host, self->owner->pieces, 1);
        other.release(other.context);
        break;
    }
    case PLUG_PIECE_END: host->pull_end(host, self->pull, NULL, 0); break;
    default: host->pull_fail(host, self->pull, piece->code, piece->reason);
    }
}

static void pull(void *context, plug_pull pull) {
    fan *self = context;
    self->pull = pull;
    self->owner->host->body_pull(self->inner, self, pulled);
}

static void release(void *context) {
    fan *self = context;
    self->owner->host->body_release(self->inner);
    free(self);
}

static plug_verdict on_response(void *context, plug_exchange *exchange) {
    plugin *self = context;
    plug_body *inner = self->host->take_response_body(exchange);
    if (inner == NULL) return PLUG_VERDICT_NEXT;
    fan *made = calloc(1, sizeof *made);
    if (made == NULL) abort();
    made->owner = self;
    made->inner = inner;
    plug_source_v1 source = { made, self->host->body_length(inner), pull, NULL, release };
    self->host->set_response_body(exchange, self->host->body_of_source(self->host, &source));
    return PLUG_VERDICT_NEXT;
}

// ---- a copy of the request of the exchange, whose response is the exchange's

typedef struct copy {
    const plug_host_v1 *host;
    plug_ticket ticket;
    plug_subresponse *response;
} copy;

static void completed(void *context, plug_subresponse *response) {
    copy *self = context;
    self->host->subresponse_keep(response);
    self->response = response;
    self->host->wake(self->host, self->ticket);
}

static plug_verdict send_copy(plugin *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self->host;
    copy *made = host->exchange_state(exchange);
    if (made != NULL) {
        plug_verdict verdict = host->respond_with(exchange, made->response);
        host->subresponse_release(made->response);
        return verdict;
    }
    made = calloc(1, sizeof *made);
    if (made == NULL) abort();
    made->host = host;
    host->set_exchange_state(exchange, made, free);
    plug_field fields[] = {{ PLUG_TEXT("x-do"), PLUG_TEXT("nothing") }, { PLUG_TEXT("x-copy"), PLUG_TEXT("yes") }};
    plug_text url = host->field(host->request(exchange), PLUG_TEXT("x-url"));
    plug_subrequest_v1 request = {
        .url = url, .fields = fields, .field_count = 2, .flags = PLUG_SUBREQUEST_LIKE_EXCHANGE,
    };
    if (host->send_subrequest(host, host->exchange_id(exchange), &request, made, completed) != PLUG_OK) abort();
    return host->wait(exchange, -1, &made->ticket);
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    plugin *self = context;
    plug_text what = self->host->field(self->host->request(exchange), PLUG_TEXT("x-do"));
    if (what.count == 4 && memcmp(what.bytes, "copy", 4) == 0) return send_copy(self, exchange);
    return PLUG_VERDICT_NEXT;
}

// ---- commands

// Writes a text between quotes and a comma, or `null`.
static size_t write_text(char *room, size_t size, plug_text text) {
    if (text.bytes == NULL) return (size_t)snprintf(room, size, "null,");
    return (size_t)snprintf(room, size, "\"%.*s\",", (int)text.count, text.bytes);
}

static void parts(plugin *self, plug_reply reply) {
    plug_text url = {0};
    plug_url_parts_v1 found;
    char json[1024] = "[";
    size_t used = 1;
    self->host->argument_text(self->host, reply, PLUG_TEXT("url"), &url);
    if (self->host->url_parts(url, &found) != PLUG_OK) {
        self->host->reply_json(self->host, reply, PLUG_TEXT("null"));
        return;
    }
    plug_text all[] = { found.scheme, found.userinfo, found.host, found.path, found.query, found.fragment };
    for (size_t i = 0; i < 6; i++) used += write_text(json + used, sizeof json - used, all[i]);
    used += (size_t)snprintf(json + used, sizeof json - used, "%" PRIu32 "]", found.port);
    self->host->reply_json(self->host, reply, plug_make_text(json, used));
}

// What the arguments number, name, list, map and missing are.
static void arguments(plugin *self, plug_reply reply) {
    const plug_host_v1 *host = self->host;
    int64_t number = -1, flag = -1;
    plug_text name = {0}, list = {0};
    plug_field item = {0}, again = {0}, member = {0};
    host->argument_integer(host, reply, PLUG_TEXT("number"), &number);
    host->argument_integer(host, reply, PLUG_TEXT("flag"), &flag);
    host->argument_text(host, reply, PLUG_TEXT("name"), &name);
    host->argument_text(host, reply, PLUG_TEXT("list"), &list);
    host->argument_item(host, reply, PLUG_TEXT("list"), 1, &item);
    host->argument_item(host, reply, PLUG_TEXT("list"), 1, &again);
    host->argument_item(host, reply, PLUG_TEXT("map"), 0, &member);
    plug_result missing = host->argument_text(host, reply, PLUG_TEXT("missing"), &name);
    plug_result beyond = host->argument_item(host, reply, PLUG_TEXT("list"), 2, &item);
    plug_result mistyped = host->argument_integer(host, reply, PLUG_TEXT("name"), &number);
    char json[1024];
    int used = snprintf(json, sizeof json,
        "[%" PRId64 ",%" PRId64 ",\"%.*s\",%.*s,\"%.*s\",\"%.*s=%.*s\",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%s]", number, flag,
        (int)name.count, name.bytes, (int)list.count, list.bytes, (int)item.value.count, item.value.bytes,
        (int)member.name.count, member.name.bytes, (int)member.value.count, member.value.bytes, missing, beyond,
        mistyped, again.value.bytes == item.value.bytes ? "true" : "false");
    host->reply_json(host, reply, plug_make_text(json, (uint64_t)used));
}

static void command(void *context, plug_text name, plug_text text, plug_reply reply) {
    (void)text;
    if (name.bytes[0] == 'p') parts(context, reply);
    else arguments(context, reply);
}

static const plug_command_v1 commands[] = {
    { .name = PLUG_LITERAL("parts") }, { .name = PLUG_LITERAL("arguments") },
};

PLUGBOARD_METADATA(beside, ID, "1.0.0");
PLUGBOARD_PLUGIN(beside) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL(ID),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Keeps pieces, copies requests, and reads arguments."),
    .priority = 500,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE,
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .create = create,
    .destroy = free,
    .on_request = on_request,
    .on_response = on_response,
    .command = command,
};
