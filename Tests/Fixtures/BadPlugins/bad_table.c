// Lists a setting twice, and one with an unknown type. Fails `options`.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("limit"), .type = PLUG_TYPE_INTEGER, .documentation = PLUG_LITERAL("A limit.") },
    { .name = PLUG_LITERAL("limit"), .type = PLUG_TYPE_INTEGER, .documentation = PLUG_LITERAL("Another.") },
    { .name = PLUG_LITERAL("shape"), .type = 99, .documentation = PLUG_LITERAL("A shape.") },
};

PLUGBOARD_METADATA(bad_table, "com.example.bad-table", "1.0.0");
PLUGBOARD_PLUGIN(bad_table) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.bad-table"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Has a malformed table."),
    .priority = 500,
    .create = create,
    .settings = settings,
    .setting_count = 3,
};
