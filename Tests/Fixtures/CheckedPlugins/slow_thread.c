// Works on a thread of its own, 30 ms where exchanges come at once; each waits for it at most a second. A correct
// plugin, for which the clock of the checks is too fast.
#include <plugboard.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int running;

typedef struct work { const plug_host_v1 *host; plug_ticket ticket; } work;

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static void *run(void *context) {
    work *self = context;
    if (__atomic_load_n(&running, __ATOMIC_SEQ_CST) > 1) usleep(30000);
    // First, so that exchanges that come one after the other are never two.
    __atomic_fetch_sub(&running, 1, __ATOMIC_SEQ_CST);
    self->host->wake(self->host, self->ticket);
    free(self);
    return NULL;
}

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    if (host->visit(exchange) == PLUG_VISIT_DEADLINE) {
        return host->fail(exchange, PLUG_TEXT("com.example.slow-thread.late"), PLUG_TEXT("The work took too long."));
    }
    if (host->visit(exchange) == PLUG_VISIT_WOKEN) return PLUG_VERDICT_NEXT;
    work *task = malloc(sizeof *task);
    pthread_t thread;
    if (task == NULL) abort();
    task->host = host;
    plug_verdict verdict = host->wait(exchange, 1000000000, &task->ticket);
    __atomic_fetch_add(&running, 1, __ATOMIC_SEQ_CST);
    if (pthread_create(&thread, NULL, run, task) != 0) abort();
    pthread_detach(thread);
    return verdict;
}

PLUGBOARD_METADATA(slow_thread, "com.example.slow-thread", "1.0.0");
PLUGBOARD_PLUGIN(slow_thread) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.slow-thread"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Works on a thread of its own."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
