// Gives the kernel wrong texts: control sequences for terminals, forged log lines, unknown verdicts, malformed JSON.
// The field x-do of the request chooses one.
#include <plugboard.h>
#include <string.h>

#define FORGED "two\nplugboard: fake line \x1b[31m\n"

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plug_text reason = {0};
    if (host->setting_text(settings, PLUG_TEXT("refuse"), &reason) == PLUG_OK && reason.count > 0) {
        if (reason.count > 1) host->refuse(host, reason);
        return NULL;
    }
    host->log(host, PLUG_LOG_WARNING, PLUG_TEXT(FORGED));
    return (void *)host;
}

static int is(plug_text text, const char *word) {
    return text.count == strlen(word) && memcmp(text.bytes, word, text.count) == 0;
}

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_text what = host->field(host->request(exchange), PLUG_TEXT("x-do"));
    if (is(what, "fail")) return host->fail(exchange, PLUG_TEXT("Bad code!\n"), PLUG_TEXT(FORGED));
    if (is(what, "fail-well")) return host->fail(exchange, PLUG_TEXT("com.example_1.no-more"), PLUG_TEXT("No more."));
    if (is(what, "fail-mute")) return host->fail(exchange, PLUG_TEXT(""), PLUG_TEXT(""));
    if (is(what, "fault")) return host->fault(exchange, PLUG_TEXT("it panicked: " FORGED));
    if (is(what, "fault-mute")) return host->fault(exchange, PLUG_TEXT(""));
    if (is(what, "respond")) return host->respond(exchange, 9999, NULL, 0, NULL);
    if (is(what, "respond-with")) return host->respond_with(exchange, NULL);
    if (is(what, "resend")) return host->resend(exchange, 0);
    if (is(what, "wait")) return host->wait(exchange, 0, NULL);
    if (is(what, "respond-next")) host->respond(exchange, 9999, NULL, 0, NULL);
    return PLUG_VERDICT_NEXT;
}

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_text what = host->field(host->request(exchange), PLUG_TEXT("x-do"));
    return is(what, "respond-next") ? PLUG_VERDICT_RESPOND : PLUG_VERDICT_NEXT;
}

static plug_verdict on_failure(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_text what = host->field(host->request(exchange), PLUG_TEXT("x-do"));
    if (is(what, "hold")) return host->hold(exchange, 1);
    return is(what, "resend-body") ? host->resend(exchange, 0) : PLUG_VERDICT_NEXT;
}

static void command(void *self, plug_text name, plug_text arguments, plug_reply reply) {
    const plug_host_v1 *host = self;
    if (is(name, "fail")) {
        host->reply_fail(host, reply, PLUG_TEXT("\x1b[31m"), PLUG_TEXT(FORGED));
    } else if (host->reply_json(host, reply, PLUG_TEXT("{nope")) == PLUG_BAD_ARGUMENT) {
        host->metric_add(host, host->counter(host, PLUG_TEXT("refused")), 1);
    }
}

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("refuse"), .type = PLUG_TYPE_TEXT,
      .documentation = PLUG_LITERAL("The reason why it cannot be created; one letter stands for no reason.") },
};

static const plug_command_v1 commands[] = {
    { PLUG_LITERAL("fail"), PLUG_LITERAL("{}"), PLUG_LITERAL("Fails."), 0 },
    { PLUG_LITERAL("json"), PLUG_LITERAL("{}"), PLUG_LITERAL("Replies with a text that is not JSON."), 0 },
};

PLUGBOARD_METADATA(forger, "com.example.forger", "1.0.0");
PLUGBOARD_PLUGIN(forger) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE | PLUG_ON_FAILURE,
    .id = PLUG_LITERAL("com.example.forger"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Gives the kernel wrong texts."),
    .priority = 500,
    .settings = settings,
    .setting_count = 1,
    .commands = commands,
    .command_count = 2,
    .create = create,
    .on_request = on_request,
    .on_response = on_response,
    .on_failure = on_failure,
    .command = command,
};
