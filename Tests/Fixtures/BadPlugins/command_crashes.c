// Reads an argument of its command that nobody gave. Crashes `commands`.
#include <plugboard.h>
#include <stdlib.h>
#include <string.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static void command(void *self, plug_text name, plug_text arguments, plug_reply reply) {
    const plug_host_v1 *host = self;
    if (arguments.count < 3) abort();
    host->reply_json(host, reply, PLUG_TEXT("{}"));
}

static const plug_command_v1 commands[] = {
    { PLUG_LITERAL("show"), PLUG_LITERAL("{\"limit\": \"how many\"}"), PLUG_LITERAL("Shows some."), 0 },
};

PLUGBOARD_METADATA(command_crashes, "com.example.command-crashes", "1.0.0");
PLUGBOARD_PLUGIN(command_crashes) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.command-crashes"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Crashes in its command."),
    .priority = 500,
    .commands = commands,
    .command_count = 1,
    .create = create,
    .command = command,
};
