// Takes a refused wake for the end of its exchange, and frees the state that the hook still needs. Crashes `wakes`.
#include <plugboard.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

typedef struct job {
    const plug_host_v1 *host;
    plug_ticket ticket;
} job;

// The memory is unmapped at once, so that each later use crashes.
static void finish(job *mine) { munmap(mine, sizeof *mine); }

static void *work(void *context) {
    job *mine = context;
    nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
    // Correct after a cancel, when no hook runs any more; wrong if another wake came first.
    if (mine->host->wake(mine->host, mine->ticket) != PLUG_OK) finish(mine);
    return NULL;
}

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    if (host->visit(exchange) != PLUG_VISIT_FIRST) {
        nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
        job *mine = host->exchange_state(exchange);
        if (mine->ticket == 0) abort();
        host->set_exchange_state(exchange, NULL, NULL);
        finish(mine);
        return PLUG_VERDICT_NEXT;
    }
    job *mine = mmap(NULL, sizeof *mine, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mine == MAP_FAILED) abort();
    mine->host = host;
    host->set_exchange_state(exchange, mine, NULL);
    plug_verdict verdict = host->wait(exchange, -1, &mine->ticket);
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, mine) == 0) pthread_detach(thread);
    return verdict;
}

PLUGBOARD_METADATA(frees_early, "com.example.frees-early", "1.0.0");
PLUGBOARD_PLUGIN(frees_early) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.frees-early"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Frees its state too early."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
