// Supports the statuses from 100 to 599 only. Crashes `statuses`.
#include <plugboard.h>
#include <string.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static const char *const classes[10] = { NULL, "info", "success", "redirection", "client", "server" };

static plug_verdict on_response(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_head *head = host->response(exchange);
    const char *name = classes[host->status(head) / 100];
    host->set_field(head, PLUG_TEXT("x-class"), plug_make_text(name, strlen(name)));
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(five_classes, "com.example.five-classes", "1.0.0");
PLUGBOARD_PLUGIN(five_classes) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_RESPONSE,
    .id = PLUG_LITERAL("com.example.five-classes"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Names the class of a status."),
    .priority = 500,
    .create = create,
    .on_response = on_response,
};
