// Calls functions of the host with wrong arguments or at wrong times, and notes the results. The field x-do says which.
#include <plugboard.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID "com.example.border"

typedef struct plugin {
    const plug_host_v1 *host;
    uint32_t send, publish, timer, bytes, source;        // what `create` was told
    int releases;                                        // of bytes and of sources
    plug_ticket ticket;
    char told[64];                                       // of a sub-request that was cancelled
    plug_body *kept;                                     // of a response
    int breaks;                                          // that a pull of `kept` was completed with
    char report[256];                                    // the file for what `destroy` was told
} plugin;

static void released(void *context) { __atomic_fetch_add(&((plugin *)context)->releases, 1, __ATOMIC_SEQ_CST); }
static void fired(void *context) { abort(); }
static void never(void *context, plug_subresponse *subresponse) { abort(); }

// A body of no bytes, with a trailer that would begin a request of its own.
static void pull(void *context, plug_pull pull) {
    const plug_host_v1 *host = ((plugin *)context)->host;
    plug_field trailer = { PLUG_TEXT("x-sum"), PLUG_TEXT("1\r\n\r\nGET /second HTTP/1.1") };
    host->metric_add(host, host->counter(host, PLUG_TEXT("end")), host->pull_end(host, pull, &trailer, 1));
}

static plug_body *make_body(plugin *self) {
    plug_source_v1 source = { .context = self, .length = PLUG_LENGTH_UNKNOWN, .pull = pull, .release = released };
    return self->host->body_of_source(self->host, &source);
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plugin *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    self->host = host;
    plug_subrequest_v1 request = {
        .method = PLUG_TEXT("GET"), .url = PLUG_TEXT("http://early.test/"), .flags = PLUG_SUBREQUEST_DETACHED,
    };
    plug_bytes bytes = { "early", 5, released, self };
    self->send = host->send_subrequest(host, 0, &request, NULL, never);
    self->publish = host->publish_event(host, 0, PLUG_TEXT(ID ".early"), NULL, 0);
    self->timer = host->start_timer(host, 0, 1, NULL, fired) == 0;
    self->bytes = host->body_of_bytes(host, bytes) == NULL;
    self->source = make_body(self) == NULL;
    plug_text report = {0};
    host->setting_text(settings, PLUG_TEXT("report"), &report);
    snprintf(self->report, sizeof self->report, "%.*s", (int)report.count, report.bytes);
    return self;
}

// A body of five bytes, whatever length it says; with bytes at NULL where `hollow` is set.
typedef struct five { const plug_host_v1 *host; int pulls, hollow; } five;

static void pull_five(void *context, plug_pull pull) {
    five *self = context;
    plug_bytes bytes = { self->hollow ? NULL : "hello", 5, NULL, NULL };
    if (self->pulls++ > 0) self->host->pull_end(self->host, pull, NULL, 0);
    else self->host->pull_give(self->host, pull, bytes);
}

static plug_body *make_five(const plug_host_v1 *host, uint64_t length, int hollow) {
    five *self = calloc(1, sizeof *self);
    if (self == NULL) abort();
    *self = (five){ host, 0, hollow };
    plug_source_v1 source = { .context = self, .length = length, .pull = pull_five, .release = free };
    return host->body_of_source(host, &source);
}

static int is(plug_text text, const char *word) {
    return text.count == strlen(word) && memcmp(text.bytes, word, text.count) == 0;
}

static void completed(void *context, plug_subresponse *subresponse) {
    plugin *self = context;
    plug_text code = {0}, reason = {0};
    self->host->subresponse_failure(subresponse, &code, &reason);
    size_t count = strlen(self->told);
    snprintf(self->told + count, sizeof self->told - count, " %.*s", (int)code.count, code.bytes);
    self->host->wake(self->host, self->ticket);
}

static plug_verdict cancel(plugin *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self->host;
    plug_subrequest_id number = 0;
    plug_subrequest_v1 request = {
        .method = PLUG_TEXT("GET"), .url = PLUG_TEXT("http://silent.test/"), .id = &number,
    };
    plug_verdict verdict = host->wait(exchange, -1, &self->ticket);
    host->send_subrequest(host, host->exchange_id(exchange), &request, self, completed);
    uint32_t first = host->cancel_subrequest(host, number), second = host->cancel_subrequest(host, number);
    snprintf(self->told, sizeof self->told, "%u %u", first, second);
    return verdict;
}

static void list(const plug_host_v1 *host, plug_exchange *exchange) {
    char names[256] = "";
    plug_field found;
    for (uint64_t i = 0; host->attribute_at(exchange, i, &found) == PLUG_OK; i++) {
        size_t count = strlen(names);
        snprintf(names + count, sizeof names - count, "%.*s=%.*s;", (int)found.name.count, found.name.bytes,
            (int)found.value.count, found.value.bytes);
    }
    host->set_field(host->request(exchange), PLUG_TEXT("x-attributes"), plug_make_text(names, strlen(names)));
}

// Asks for URL and method again and again, changes the URL, and says whether all texts are still what they were.
static void hoard(const plug_host_v1 *host, plug_head *request) {
    enum { count = 100 };
    plug_text urls[count], methods[count];
    for (int index = 0; index < count; index++) {
        urls[index] = host->url(request);
        methods[index] = host->method(request);
    }
    plug_text field = host->field(request, PLUG_TEXT("x-do"));
    char url[1000], wanted[1000];
    int length = snprintf(wanted, sizeof(wanted), "%.*s", (int)urls[0].count, urls[0].bytes);
    host->set_url(request, PLUG_TEXT("http://other.test/"));
    host->set_field(request, PLUG_TEXT("x-do"), PLUG_TEXT("something longer, so that it does not fit"));
    int same = is(field, "hoard");
    for (int index = 0; index < count; index++) {
        snprintf(url, sizeof(url), "%.*s", (int)urls[index].count, urls[index].bytes);
        same += (int)urls[index].count == length && strcmp(url, wanted) == 0 && is(methods[index], "GET");
    }
    char said[20];
    snprintf(said, sizeof(said), "%d of %d", same, count + 1);
    host->set_field(request, PLUG_TEXT("x-same"), plug_make_text(said, strlen(said)));
    host->set_field(request, PLUG_TEXT("x-first"), urls[0]);
}

// A count beside NULL, in everything that a hook hands in.
static void hollow(plugin *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self->host;
    plug_head *request = host->request(exchange);
    plug_text nothing = { NULL, 9 };
    plug_field field = { PLUG_TEXT("x-a"), nothing }, nameless = { nothing, PLUG_TEXT("1") };
    plug_bytes bytes = { NULL, 9, released, self };
    plug_subrequest_v1 requests[] = {
        { .method = PLUG_TEXT("GET"), .url = nothing },
        { .method = PLUG_TEXT("GET"), .url = PLUG_TEXT("http://a.test/"), .field_count = 1 },
        { .method = PLUG_TEXT("GET"), .url = PLUG_TEXT("http://a.test/"), .fields = &nameless, .field_count = 1 },
        { .method = PLUG_TEXT("GET"), .url = PLUG_TEXT("http://a.test/"), .secret_count = 1 },
        { .method = PLUG_TEXT("GET"), .url = PLUG_TEXT("http://a.test/"), .options = &field, .option_count = 1 },
    };
    char told[64];
    int count = snprintf(told, sizeof told, "%u %u %u %u %u;",
        host->set_field(request, nothing, PLUG_TEXT("1")), host->set_field(request, PLUG_TEXT("x-a"), nothing),
        host->add_field(request, PLUG_TEXT("x-a"), nothing),
        host->publish_event(host, 0, PLUG_TEXT(ID ".fact"), NULL, 1),
        host->publish_event(host, 0, PLUG_TEXT(ID ".fact"), &field, 1));
    for (int i = 0; i < 5; i++) {
        requests[i].flags = PLUG_SUBREQUEST_DETACHED;
        count += snprintf(told + count, sizeof told - count, " %u",
            host->send_subrequest(host, 0, &requests[i], NULL, never));
    }
    snprintf(told + count, sizeof told - count, "; %d", host->body_of_bytes(host, bytes) == NULL);
    host->set_field(request, PLUG_TEXT("x-told"), plug_make_text(told, strlen(told)));
}

// Names that cannot be shown, and one that can.
static void name(const plug_host_v1 *host, plug_head *request) {
    char told[64];
    snprintf(told, sizeof told, "%u %u %u %u; %d %d %d %d",
        host->publish_event(host, 0, PLUG_TEXT(ID ".\xff"), NULL, 0),
        host->publish_event(host, 0, PLUG_TEXT(ID ".a\n"), NULL, 0),
        host->publish_event(host, 0, PLUG_TEXT(ID "."), NULL, 0),
        host->publish_event(host, 0, PLUG_TEXT(ID ".gr\u00fc\u00dfe"), NULL, 0),
        host->counter(host, PLUG_TEXT("\xff")) == 0, host->counter(host, PLUG_TEXT("a\x1b")) == 0,
        host->counter(host, PLUG_TEXT("")) == 0, host->counter(host, PLUG_TEXT("gr\u00fc\u00dfe")) == 0);
    host->set_field(request, PLUG_TEXT("x-told"), plug_make_text(told, strlen(told)));
}

// One body in two places.
static plug_verdict twice(plugin *self, plug_exchange *exchange, int responds) {
    const plug_host_v1 *host = self->host;
    plug_body *body = make_five(host, 5, 0);
    char told[32];
    int first = host->set_request_body(exchange, body), second = host->set_request_body(exchange, body);
    plug_subrequest_v1 request = {
        .method = PLUG_TEXT("PUT"), .url = PLUG_TEXT("http://a.test/"), .flags = PLUG_SUBREQUEST_DETACHED,
        .body = body,
    };
    int third = host->send_subrequest(host, 0, &request, NULL, never);
    host->body_release(body);
    snprintf(told, sizeof told, "%d %d %d", first, second, third);
    host->set_field(host->request(exchange), PLUG_TEXT("x-told"), plug_make_text(told, strlen(told)));
    return responds ? host->respond(exchange, 200, NULL, 0, body) : PLUG_VERDICT_NEXT;
}

// Calls every function of the host with NULL, 0 and {NULL, 0} for all it takes: 16 words are more than any takes, and
// functions in C may be called with more than they read.
static void call_with_nothing(const plug_host_v1 *host, plug_head *request) {
    typedef uint64_t (*any_function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
        uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
    const char *function = (const char *)host + offsetof(plug_host_v1, respond);
    const char *end = (const char *)host + sizeof *host;
    int calls = 0;
    for (; function < end; function += sizeof(any_function), calls++) {
        any_function call;
        memcpy(&call, function, sizeof call);
        call(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
    char told[32];
    snprintf(told, sizeof told, "%d", calls);
    host->set_field(request, PLUG_TEXT("x-told"), plug_make_text(told, strlen(told)));
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    plugin *self = context;
    const plug_host_v1 *host = self->host;
    plug_head *request = host->request(exchange);
    plug_text what = host->field(request, PLUG_TEXT("x-do"));
    if (host->visit(exchange) == PLUG_VISIT_WOKEN) {
        host->set_field(request, PLUG_TEXT("x-told"), plug_make_text(self->told, strlen(self->told)));
        return PLUG_VERDICT_NEXT;
    }
    plug_field bad_value = { PLUG_TEXT("x-a"), PLUG_TEXT("1\r\nx-b: 2") };
    plug_field bad_name = { PLUG_TEXT("x a"), PLUG_TEXT("1") };
    if (is(what, "respond-value")) return host->respond(exchange, 200, &bad_value, 1, NULL);
    if (is(what, "respond-name")) return host->respond(exchange, 200, &bad_name, 1, make_body(self));
    plug_field no_value = { PLUG_TEXT("x-a"), { NULL, 9 } };
    if (is(what, "respond-hollow")) return host->respond(exchange, 200, &no_value, 1, NULL);
    if (is(what, "respond-count")) return host->respond(exchange, 200, NULL, 3, NULL);
    if (is(what, "respond-short")) return host->respond(exchange, 200, NULL, 0, make_five(host, 7, 0));
    if (is(what, "respond-long")) return host->respond(exchange, 200, NULL, 0, make_five(host, 3, 0));
    if (is(what, "respond-bytes")) return host->respond(exchange, 200, NULL, 0, make_five(host, 5, 1));
    if (is(what, "respond-right")) return host->respond(exchange, 200, NULL, 0, make_five(host, 5, 0));
    if (is(what, "send-short")) host->set_request_body(exchange, make_five(host, 7, 0));
    if (is(what, "send-long")) host->set_request_body(exchange, make_five(host, 3, 0));
    if (is(what, "nothing")) call_with_nothing(host, request);
    if (is(what, "twice")) return twice(self, exchange, 0);
    if (is(what, "respond-twice")) return twice(self, exchange, 1);
    if (is(what, "hollow")) hollow(self, exchange);
    if (is(what, "name")) name(host, request);
    if (is(what, "upload")) host->set_request_body(exchange, make_body(self));
    if (is(what, "cancel")) return cancel(self, exchange);
    if (is(what, "list")) list(host, exchange);
    if (is(what, "hoard")) hoard(host, request);
    return PLUG_VERDICT_NEXT;
}

static void pulled(void *context, const plug_piece_v1 *piece) {
    if (piece->kind == PLUG_PIECE_BROKEN) ((plugin *)context)->breaks++;
}

// The loop has ended: what is handed in is taken over all the same, and what is released is let go of.
static void destroy(void *context) {
    plugin *self = context;
    const plug_host_v1 *host = self->host;
    if (self->report[0] != 0) {
        int before = self->releases;
        plug_subrequest_v1 request = {
            .method = PLUG_TEXT("GET"), .url = PLUG_TEXT("http://late.test/"), .flags = PLUG_SUBREQUEST_DETACHED,
            .body = make_body(self),
        };
        uint32_t code = host->send_subrequest(host, 0, &request, NULL, never);
        int of_send = self->releases - before;
        plug_body *body = make_body(self);
        if (body != NULL) host->body_release(body);
        int of_body = self->releases - before - of_send;
        if (self->kept != NULL) host->body_release(self->kept);
        FILE *file = fopen(self->report, "w");
        if (file != NULL) {
            fprintf(file, "%u %d %d %d", code, of_send, of_body, self->breaks);
            fclose(file);
        }
    }
    free(self);
}

static plug_verdict on_response(void *context, plug_exchange *exchange) {
    plugin *self = context;
    const plug_host_v1 *host = self->host;
    if (is(host->field(host->request(exchange), PLUG_TEXT("x-do")), "keep")) {
        self->kept = host->take_response_body(exchange);
        host->body_pull(self->kept, self, pulled);
        plug_bytes other = { "other", 5, NULL, NULL };
        host->set_response_body(exchange, host->body_of_bytes(host, other));
        return PLUG_VERDICT_NEXT;
    }
    if (!is(host->field(host->request(exchange), PLUG_TEXT("x-do")), "break")) return PLUG_VERDICT_NEXT;
    host->body_release(host->take_response_body(exchange));
    return host->fault(exchange, PLUG_TEXT("it panicked: with a body in its hands"));
}

static void command(void *context, plug_text name, plug_text arguments, plug_reply reply) {
    plugin *self = context;
    const plug_host_v1 *host = self->host;
    char json[128];
    if (is(name, "deaf")) {
        plug_subrequest_v1 request = {
            .method = PLUG_TEXT("GET"), .url = PLUG_TEXT("http://a.test/"), .body = make_body(self),
        };
        snprintf(json, sizeof json, "%u", host->send_subrequest(host, 0, &request, NULL, NULL));
    } else if (is(name, "released")) {
        snprintf(json, sizeof json, "%d", __atomic_load_n(&self->releases, __ATOMIC_SEQ_CST));
    } else {
        snprintf(json, sizeof json, "[%u, %u, %u, %u, %u]", self->send, self->publish, self->timer, self->bytes,
            self->source);
    }
    host->reply_json(host, reply, plug_make_text(json, strlen(json)));
}

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("report"), .type = PLUG_TYPE_TEXT, .minimum = INT64_MIN, .maximum = INT64_MAX,
      .documentation = PLUG_LITERAL("The file for what destroy is told.") },
};
static const plug_command_v1 commands[] = {
    { PLUG_LITERAL("early"), PLUG_LITERAL("{}"), PLUG_LITERAL("What create was told."), 0 },
    { PLUG_LITERAL("deaf"), PLUG_LITERAL("{}"), PLUG_LITERAL("Sends a body and has no function for the response."), 0 },
    { PLUG_LITERAL("released"), PLUG_LITERAL("{}"), PLUG_LITERAL("How much was released."), 0 },
};

PLUGBOARD_METADATA(border, ID, "1.0.0");
PLUGBOARD_PLUGIN(border) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL(ID),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Calls the host with wrong arguments."),
    .priority = 500,
    .settings = settings,
    .setting_count = 1,
    .commands = commands,
    .command_count = 3,
    .create = create,
    .destroy = destroy,
    .on_request = on_request,
    .on_response = on_response,
    .command = command,
};
