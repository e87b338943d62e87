// Ends its process in one of its functions: the one that the setting `in` names; built with FALLS_LOADING, while it is
// loaded.
#include <plugboard.h>

#include <stdlib.h>
#include <string.h>

#define ID "com.example.falls"

static const plug_host_v1 *host;
static char place[16];

static int is(const char *name) { return strcmp(place, name) == 0; }

static void fall(const char *name) {
    if (is(name)) abort();
}

#ifdef FALLS_LOADING
__attribute__((constructor)) static void load(void) { abort(); }
#endif

static void *create(const plug_host_v1 *given, const plug_settings *settings) {
    plug_text text = {NULL, 0};
    host = given;
    host->setting_text(settings, PLUG_TEXT("in"), &text);
    if (text.count >= sizeof place) return NULL;
    memcpy(place, text.bytes, text.count);
    place[text.count] = 0;
    fall("create");
    return &host;
}

static plug_result start(void *self) {
    fall("start");
    return PLUG_OK;
}

static void stop(void *self, int64_t within) { fall("stop"); }
static void destroy(void *self) { fall("destroy"); }

static void source_pull(void *context, plug_pull pull) {
    fall("pull");
    host->pull_end(host, pull, NULL, 0);
}

static plug_result source_rewind(void *context) {
    fall("rewind");
    return PLUG_OK;
}

static void source_release(void *context) { fall("release"); }
static void bytes_release(void *context) { fall("bytes"); }
static void state_release(void *context) { fall("state"); }
static void pulled(void *context, const plug_piece_v1 *piece) { fall("pulled"); }
static void completed(void *context, plug_subresponse *subresponse) { fall("completed"); }
static void fired(void *context) { fall("fired"); }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    fall("onRequest");
    plug_source_v1 source = {NULL, PLUG_LENGTH_UNKNOWN, source_pull, source_rewind, source_release};
    plug_body *body = host->body_of_source(host, &source);
    if (is("rewind")) host->body_rewind(body);
    if (is("pull") || is("pulled")) host->body_pull(body, NULL, pulled);
    host->body_release(body);
    host->body_release(host->body_of_bytes(host, (plug_bytes){ID, sizeof ID, bytes_release, NULL}));
    host->set_exchange_state(exchange, self, state_release);
    host->set_exchange_state(exchange, NULL, NULL);
    plug_ticket ticket;
    if (is("fired")) {
        host->start_timer(host, 0, 0, NULL, fired);
        return host->wait(exchange, -1, &ticket);
    }
    if (is("completed")) {
        plug_subrequest_v1 request = {.method = PLUG_LITERAL("GET"), .url = PLUG_LITERAL("http://sub.test/")};
        host->send_subrequest(host, host->exchange_id(exchange), &request, NULL, completed);
        return host->wait(exchange, -1, &ticket);
    }
    return PLUG_VERDICT_NEXT;
}

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    fall("onResponse");
    return PLUG_VERDICT_NEXT;
}

static void on_close(void *self, plug_exchange *exchange, plug_close outcome) { fall("onClose"); }

static void on_event(void *self, plug_exchange *exchange, const plug_event *event) { fall("onEvent"); }

static void command(void *self, plug_text name, plug_text arguments, plug_reply reply) {
    fall("command");
    host->reply_json(host, reply, PLUG_TEXT("null"));
}

static const plug_text events[] = {PLUG_LITERAL("completed")};
static const plug_option_v1 settings[] = {
    {.name = PLUG_LITERAL("in"), .type = PLUG_TYPE_TEXT, .flags = PLUG_FLAG_REQUIRED, .maximum = 15,
        .documentation = PLUG_LITERAL("Where it ends the process.")},
};
static const plug_command_v1 commands[] = {{.name = PLUG_LITERAL("fall"), .documentation = PLUG_LITERAL("Falls.")}};

PLUGBOARD_METADATA(falls, ID, "1.0.0");
PLUGBOARD_PLUGIN(falls) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE | PLUG_ON_CLOSE | PLUG_ON_EVENT,
    .id = PLUG_LITERAL(ID),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Ends its process."),
    .priority = 500,
    .events = events,
    .event_count = 1,
    .settings = settings,
    .setting_count = 1,
    .commands = commands,
    .command_count = 1,
    .create = create,
    .start = start,
    .stop = stop,
    .destroy = destroy,
    .on_request = on_request,
    .on_response = on_response,
    .on_close = on_close,
    .on_event = on_event,
    .command = command,
};
