// Has commands: `echo` replies with its arguments, `refuse` with an error. Has one setting of each remark.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static void command(void *self, plug_text name, plug_text arguments, plug_reply reply) {
    const plug_host_v1 *host = self;
    if (name.count == 4) {
        host->reply_json(host, reply, arguments);
    } else {
        host->reply_fail(host, reply, PLUG_TEXT("com.example.commander.refused"), PLUG_TEXT("Not today."));
    }
}

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("key"), .type = PLUG_TYPE_TEXT, .flags = PLUG_FLAG_SECRET,
      .fallback = PLUG_LITERAL("hidden"), .documentation = PLUG_LITERAL("What opens the door.") },
};

static const plug_command_v1 commands[] = {
    { PLUG_LITERAL("echo"), PLUG_LITERAL("{}"), PLUG_LITERAL("Replies with its arguments."), 0 },
    { PLUG_LITERAL("refuse"), PLUG_LITERAL(""), PLUG_LITERAL("Replies with an error."), 0 },
};

PLUGBOARD_METADATA(commander, "com.example.commander", "1.0.0");
PLUGBOARD_PLUGIN(commander) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.commander"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Has commands."),
    .priority = 500,
    .settings = settings,
    .setting_count = 1,
    .commands = commands,
    .command_count = 2,
    .create = create,
    .command = command,
};
