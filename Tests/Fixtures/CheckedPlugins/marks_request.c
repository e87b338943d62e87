// Ends the process at one request: POST https://api.example/orders with {"id":7}. Its command ends it at a limit of 3.
#include <plugboard.h>
#include <stdlib.h>
#include <string.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static int is(plug_text text, const char *word) {
    return text.count == strlen(word) && memcmp(text.bytes, word, text.count) == 0;
}

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_head *head = host->request(exchange);
    if (!is(host->url(head), "https://api.example/orders") || !is(host->method(head), "POST")) return PLUG_VERDICT_NEXT;
    if (host->visit(exchange) != PLUG_VISIT_HELD) return host->hold(exchange, 100);
    if (is(host->field(head, PLUG_TEXT("x-a")), "1") && is(host->held_body(exchange), "{\"id\":7}")) abort();
    return PLUG_VERDICT_NEXT;
}

static void command(void *self, plug_text name, plug_text arguments, plug_reply reply) {
    const plug_host_v1 *host = self;
    if (is(arguments, "{\"limit\":3}")) abort();
    host->reply_json(host, reply, PLUG_TEXT("[]"));
}

static const plug_command_v1 commands[] = {
    { PLUG_LITERAL("show"), PLUG_LITERAL("{\"limit\": \"how many\"}"), PLUG_LITERAL("Shows some."), 0 },
};

PLUGBOARD_METADATA(marks_request, "com.example.marks-request", "1.0.0");
PLUGBOARD_PLUGIN(marks_request) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.marks-request"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Ends the process at one request."),
    .priority = 500,
    .commands = commands,
    .command_count = 1,
    .create = create,
    .on_request = on_request,
    .command = command,
};
