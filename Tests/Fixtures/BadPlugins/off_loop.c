// Reads the exchange on a thread of its own. Fails `heads`, and every check that sends an exchange.
#include <plugboard.h>
#include <pthread.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

typedef struct look {
    const plug_host_v1 *host;
    plug_exchange *exchange;
} look;

static void *from_elsewhere(void *context) {
    look *mine = context;
    mine->host->request(mine->exchange);
    return NULL;
}

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    look mine = { self, exchange };
    pthread_t thread;
    if (pthread_create(&thread, NULL, from_elsewhere, &mine) == 0) pthread_join(thread, NULL);
    return PLUG_VERDICT_NEXT;
}

PLUGBOARD_METADATA(off_loop, "com.example.off-loop", "1.0.0");
PLUGBOARD_PLUGIN(off_loop) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.off-loop"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Reads the exchange on another thread."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
