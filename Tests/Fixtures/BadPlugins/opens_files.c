// Opens a file in each life and never closes it. Fails `lifetimes`.
#include <plugboard.h>
#include <fcntl.h>
#include <stddef.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    return open("/dev/null", O_RDONLY) < 0 ? NULL : (void *)host;
}

PLUGBOARD_METADATA(opens_files, "com.example.opens-files", "1.0.0");
PLUGBOARD_PLUGIN(opens_files) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.opens-files"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Leaves files open."),
    .priority = 500,
    .create = create,
};
