// Stops slowly. Its command `nap` writes a line to standard error and never replies.
#include <plugboard.h>
#include <unistd.h>

static int self;
static void *create(const plug_host_v1 *host, const plug_settings *settings) { return &self; }
static void stop(void *instance, int64_t within) { usleep(300 * 1000); }
static void destroy(void *instance) {}

static void command(void *instance, plug_text name, plug_text arguments, plug_reply reply) {
    static const char text[] = "napping\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) return;
}

static const plug_command_v1 commands[] = {
    { PLUG_LITERAL("nap"), PLUG_LITERAL("{}"), PLUG_LITERAL("Never replies."), 0 },
};

PLUGBOARD_METADATA(lingers, "com.example.lingers", "1.0.0");
PLUGBOARD_PLUGIN(lingers) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.lingers"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Stops slowly."),
    .priority = 500,
    .commands = commands,
    .command_count = 1,
    .create = create,
    .stop = stop,
    .destroy = destroy,
    .command = command,
};
