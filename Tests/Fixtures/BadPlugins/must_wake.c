// Expects that its wakes are never too late. Crashes `wakes`.
#include <plugboard.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

typedef struct job {
    const plug_host_v1 *host;
    plug_ticket ticket;
} job;

static void *work(void *context) {
    job mine = *(job *)context;
    free(context);
    nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
    if (mine.host->wake(mine.host, mine.ticket) != PLUG_OK) abort();
    return NULL;
}

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    if (host->visit(exchange) != PLUG_VISIT_FIRST) return PLUG_VERDICT_NEXT;
    job *mine = malloc(sizeof *mine);
    if (!mine) abort();
    mine->host = host;
    plug_verdict verdict = host->wait(exchange, 3600000000000, &mine->ticket);
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, mine) == 0) pthread_detach(thread);
    return verdict;
}

PLUGBOARD_METADATA(must_wake, "com.example.must-wake", "1.0.0");
PLUGBOARD_PLUGIN(must_wake) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.must-wake"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Expects that each wake succeeds."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
