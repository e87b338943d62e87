// Frees its state with the exchange, while a thread still uses it. Crashes `waits`.
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

static void *work(void *context) {
    job *mine = context;
    nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
    mine->host->wake(mine->host, mine->ticket);
    return NULL;
}

// The memory is unmapped at once, so that each later use crashes.
static void release(void *state) { munmap(state, sizeof(job)); }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    if (host->visit(exchange) != PLUG_VISIT_FIRST) return PLUG_VERDICT_NEXT;
    job *mine = mmap(NULL, sizeof *mine, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mine == MAP_FAILED) abort();
    mine->host = host;
    host->set_exchange_state(exchange, mine, release);
    plug_verdict verdict = host->wait(exchange, -1, &mine->ticket);
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, mine) == 0) pthread_detach(thread);
    return verdict;
}

PLUGBOARD_METADATA(forgets_cancel, "com.example.forgets-cancel", "1.0.0");
PLUGBOARD_PLUGIN(forgets_cancel) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.forgets-cancel"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Uses freed memory."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
