// Has another revision of the ABI: in its descriptor only, or with -DMETADATA_REVISION='"0"' also in the
// section `plugboard`; then the file is never opened.
#include <plugboard.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) { return PLUG_VERDICT_NEXT; }

#ifdef METADATA_REVISION
PLUG_SECTION static const char metadata[] = "plugboard/" METADATA_REVISION " com.example.old-revision 1.0.0";
#endif
PLUGBOARD_PLUGIN(old_revision) {
    .abi_revision = PLUG_ABI_REVISION - 1,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.old-revision"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Is too old."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
