// A sub-request in C: each request carries a token, which another URL gives in a field of its response.
#include "plugboard.h"

#include <stdlib.h>
#include <string.h>

typedef struct token_plugin {
    const plug_host_v1 *host;
    uint64_t count;
    char url[];
} token_plugin;

// Shared by the exchange and its sub-request. Both release it on the loop, in either order.
typedef struct question {
    const plug_host_v1 *host;
    plug_ticket ticket;
    uint32_t holders;
    uint64_t count;
    char *token;   // NULL if there is not a token yet
} question;

static void release(void *state) {
    question *self = state;
    if (--self->holders > 0) return;
    free(self->token);
    free(self);
}

// Runs exactly once: with a response, with a failure, after a cancel.
static void completed(void *context, plug_subresponse *subresponse) {
    question *self = context;
    const plug_host_v1 *host = self->host;
    plug_head *head = host->subresponse_head(subresponse);
    _Bool is_good = head != NULL && host->status(head) == 200;
    plug_text token = is_good ? host->field(head, PLUG_TEXT("x-token")) : (plug_text){0};
    self->token = token.count > 0 ? malloc(token.count) : NULL;
    if (self->token != NULL) {
        memcpy(self->token, token.bytes, token.count);
        self->count = token.count;
    }
    host->wake(host, self->ticket);   // PLUG_STALE if the exchange does not wait any more
    release(self);
}

static plug_verdict ask(token_plugin *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self->host;
    question *question = calloc(1, sizeof *question);
    if (question == NULL) return host->fault(exchange, PLUG_TEXT("there is no memory for a question"));
    question->host = host;
    question->holders = 2;
    host->set_exchange_state(exchange, question, release);
    plug_verdict verdict = host->wait(exchange, 10000000000, &question->ticket);
    plug_subrequest_v1 request = { .method = PLUG_TEXT("GET"), .url = plug_make_text(self->url, self->count) };
    if (host->send_subrequest(host, host->exchange_id(exchange), &request, question, completed) != PLUG_OK) {
        host->wake(host, question->ticket);
        release(question);
    }
    return verdict;
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    token_plugin *self = context;
    const plug_host_v1 *host = self->host;
    if (host->visit(exchange) == PLUG_VISIT_FIRST) return ask(self, exchange);
    question *question = host->exchange_state(exchange);
    if (question->token == NULL) {
        return host->fail(exchange, PLUG_TEXT("com.example.token.none"),
            PLUG_TEXT("No token came within ten seconds. Look whether the setting url is right."));
    }
    plug_head *request = host->request(exchange);
    host->set_field(request, PLUG_TEXT("x-token"), plug_make_text(question->token, question->count));
    host->mark_secret(request, PLUG_TEXT("x-token"));
    return PLUG_VERDICT_NEXT;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plug_text url = {0};
    host->setting_text(settings, PLUG_TEXT("url"), &url);
    token_plugin *self = calloc(1, sizeof *self + url.count);
    if (self == NULL) {
        host->refuse(host, PLUG_TEXT("there is no memory for it"));
        return NULL;
    }
    self->host = host;
    self->count = url.count;
    memcpy(self->url, url.bytes, url.count);
    return self;
}

static const plug_option_v1 settings[] = {{
    .name = PLUG_LITERAL("url"), .type = PLUG_TYPE_TEXT, .flags = PLUG_FLAG_REQUIRED, .minimum = 1, .maximum = 2000,
    .documentation = PLUG_LITERAL("Where tokens come from."),
}};

PLUGBOARD_METADATA(token, "com.example.token", "1.0.0");
PLUGBOARD_PLUGIN(token) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.token"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Asks for a token for each request."), .priority = 510, .hooks = PLUG_ON_REQUEST,
    .settings = settings, .setting_count = sizeof settings / sizeof *settings,
    .create = create, .destroy = free, .on_request = on_request,
};
