// A plugin whose section `plugboard` is given at compile time, as -DMETADATA='"plugboard/1 com.example.metadata
// 1.0.0"', or is missing without. Any other text is refused, because it differs from the descriptor or
// cannot be read. -DMARK='"PATH"' makes the constructor write a file, which shows whether code of the plugin ran.
#include <plugboard.h>

#ifdef METADATA
PLUG_SECTION static const char metadata[] = METADATA;
#endif

#ifdef MARK
#include <stdio.h>

__attribute__((constructor)) static void leave_mark(void) {
    FILE *file = fopen(MARK, "w");
    if (file) fclose(file);
}
#endif

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

PLUGBOARD_PLUGIN(metadata) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.metadata"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Has any metadata."),
    .priority = 500,
    .create = create,
};
