// Provides the service com.example.numbers/1.
#include <plugboard.h>
#include <stdlib.h>

typedef struct numbers_v1 {
    void *context;
    int64_t (*twice)(void *context, int64_t number);   // on any thread
} numbers_v1;

static int64_t twice(void *context, int64_t number) {
    *(int64_t *)context += 1;
    return number * 2;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    numbers_v1 *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    self->context = calloc(1, sizeof(int64_t));
    self->twice = twice;
    return self;
}

static void destroy(void *context) {
    numbers_v1 *self = context;
    free(self->context);
    free(self);
}

static const void *service(void *self, plug_text id) { return self; }

static const plug_text provides[] = { PLUG_LITERAL("com.example.numbers/1") };

PLUGBOARD_METADATA(numbers, "com.example.numbers", "1.0.0");
PLUGBOARD_PLUGIN(numbers) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.numbers"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Provides a service."),
    .priority = 500,
    .provides = provides,
    .provide_count = 1,
    .create = create,
    .service = service,
    .destroy = destroy,
};
