// Two threads complete each pull, as if the kernel chose one of them. Fails `pulls`, and every check that reads its
// body.
#include <plugboard.h>
#include <pthread.h>
#include <stdlib.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

typedef struct completion {
    const plug_host_v1 *host;
    plug_pull pull;
} completion;

static void *give_end(void *context) {
    completion mine = *(completion *)context;
    free(context);
    mine.host->pull_end(mine.host, mine.pull, NULL, 0);
    return NULL;
}

static void pull(void *context, plug_pull number) {
    for (int racer = 0; racer < 2; racer++) {
        completion *mine = malloc(sizeof *mine);
        if (!mine) abort();
        *mine = (completion){ context, number };
        pthread_t thread;
        if (pthread_create(&thread, NULL, give_end, mine) == 0) pthread_detach(thread);
    }
}

static void release(void *context) {}

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    plug_source_v1 table = { .context = self, .length = PLUG_LENGTH_UNKNOWN, .pull = pull, .release = release };
    return host->respond(exchange, 200, NULL, 0, host->body_of_source(host, &table));
}

PLUGBOARD_METADATA(completes_race, "com.example.completes-race", "1.0.0");
PLUGBOARD_PLUGIN(completes_race) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.completes-race"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Completes pulls from two threads."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
