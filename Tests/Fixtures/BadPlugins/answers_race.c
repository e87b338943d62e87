// Two threads answer each pull, as if the kernel picked one. Fails `pulls`, and whatever else reads its answer.
#include <plugboard.h>
#include <pthread.h>
#include <stdlib.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

typedef struct answer {
    const plug_host_v1 *host;
    plug_pull pull;
} answer;

static void *give_end(void *context) {
    answer mine = *(answer *)context;
    free(context);
    mine.host->pull_end(mine.host, mine.pull, NULL, 0);
    return NULL;
}

static void pull(void *context, plug_pull number) {
    for (int racer = 0; racer < 2; racer++) {
        answer *mine = malloc(sizeof *mine);
        if (!mine) abort();
        *mine = (answer){ context, number };
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

PLUGBOARD_METADATA(answers_race, "com.example.answers-race", "1.0.0");
PLUGBOARD_PLUGIN(answers_race) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.answers-race"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Answers from two threads."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
