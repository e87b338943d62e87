// Writes to standard error that its hook was called, and never returns from it.
#include <plugboard.h>
#include <unistd.h>

static int self;
static void *create(const plug_host_v1 *host, const plug_settings *settings) { return &self; }
static void destroy(void *instance) {}

static void stay(void) {
    static const char text[] = "stuck\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
    for (;;) pause();
}

static plug_verdict on_request(void *instance, plug_exchange *exchange) {
    stay();
    return PLUG_VERDICT_NEXT;
}

static void command(void *instance, plug_text name, plug_text arguments, plug_reply reply) { stay(); }

static const plug_command_v1 commands[] = {
    { PLUG_LITERAL("stay"), PLUG_LITERAL("{}"), PLUG_LITERAL("Never returns."), 0 },
};

PLUGBOARD_METADATA(stuck, "com.example.stuck", "1.0.0");
PLUGBOARD_PLUGIN(stuck) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.stuck"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Never returns from a hook."),
    .priority = 500,
    .commands = commands,
    .command_count = 1,
    .create = create,
    .destroy = destroy,
    .on_request = on_request,
    .command = command,
};
