// Slow work off the loop: the exchange waits while a thread takes its time, then the hook runs again and adds the field
// `x-visit` with the number of its reason (PLUG_VISIT_WOKEN or PLUG_VISIT_DEADLINE). Settings: `work`, how long the
// thread takes, and `deadline`, how long the exchange waits for it.
#include <plugboard.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef struct plugin {
    const plug_host_v1 *host;
    int64_t work, deadline;
    pthread_mutex_t lock;
    pthread_cond_t idle;
    unsigned threads;   // under the lock
} plugin;

typedef struct job {
    plugin *self;
    plug_ticket ticket;
} job;

static void *work(void *context) {
    job mine = *(job *)context;
    free(context);
    nanosleep(&(struct timespec){ mine.self->work / 1000000000, mine.self->work % 1000000000 }, NULL);
    mine.self->host->wake(mine.self->host, mine.ticket);
    pthread_mutex_lock(&mine.self->lock);
    if (--mine.self->threads == 0) pthread_cond_signal(&mine.self->idle);
    pthread_mutex_unlock(&mine.self->lock);
    return NULL;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plugin *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->host = host;
    host->setting_integer(settings, PLUG_TEXT("work"), &self->work);
    host->setting_integer(settings, PLUG_TEXT("deadline"), &self->deadline);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->idle, NULL);
    return self;
}

// The host is gone after this call, so the threads must be done with it.
static void destroy(void *context) {
    plugin *self = context;
    pthread_mutex_lock(&self->lock);
    while (self->threads > 0) pthread_cond_wait(&self->idle, &self->lock);
    pthread_mutex_unlock(&self->lock);
    pthread_cond_destroy(&self->idle);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static plug_verdict begin(plugin *self, plug_exchange *exchange) {
    job *mine = malloc(sizeof *mine);
    if (!mine) return self->host->fault(exchange, PLUG_TEXT("there is no memory"));
    mine->self = self;
    plug_verdict verdict = self->host->wait(exchange, self->deadline, &mine->ticket);
    pthread_t thread;
    pthread_mutex_lock(&self->lock);
    if (pthread_create(&thread, NULL, work, mine) == 0) {
        pthread_detach(thread);
        self->threads++;
    } else {
        free(mine);   // the deadline goes on
    }
    pthread_mutex_unlock(&self->lock);
    return verdict;
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    plugin *self = context;
    uint32_t visit = self->host->visit(exchange);
    if (visit == PLUG_VISIT_FIRST) return begin(self, exchange);
    char digit = (char)('0' + visit);
    self->host->set_field(self->host->request(exchange), PLUG_TEXT("x-visit"), plug_make_text(&digit, 1));
    return PLUG_VERDICT_NEXT;
}

static const plug_option_v1 settings[] = {
    { .name = PLUG_LITERAL("work"), .type = PLUG_TYPE_DURATION, .fallback = PLUG_LITERAL("20ms"), .minimum = 0,
      .maximum = 60000000000, .documentation = PLUG_LITERAL("How long the thread takes.") },
    { .name = PLUG_LITERAL("deadline"), .type = PLUG_TYPE_DURATION, .fallback = PLUG_LITERAL("10s"), .minimum = 0,
      .maximum = 60000000000, .documentation = PLUG_LITERAL("How long the exchange waits.") },
};

PLUGBOARD_METADATA(slow_wake, "com.example.slow-wake", "1.0.0");
PLUGBOARD_PLUGIN(slow_wake) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.slow-wake"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Lets each request wait for a thread."),
    .priority = 500,
    .settings = settings,
    .setting_count = sizeof settings / sizeof *settings,
    .create = create,
    .destroy = destroy,
    .on_request = on_request,
};
