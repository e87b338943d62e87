// Wakes its ticket twice in the hook, and once more from a thread. Tells what the three calls returned as the event
// `com.example.double-wake.codes`, in the details `first`, `second` and `later`: one PLUG_OK, then PLUG_STALE.
#include <plugboard.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct late_wake {
    const plug_host_v1 *host;
    plug_exchange_id exchange;
    plug_ticket ticket;
    uint32_t first, second;
    pthread_t thread;
} late_wake;

static void *wake_again(void *context) {
    late_wake *late = context;
    plug_result codes[3] = { late->first, late->second, late->host->wake(late->host, late->ticket) };
    plug_field details[3] = {
        { .name = PLUG_TEXT("first") }, { .name = PLUG_TEXT("second") }, { .name = PLUG_TEXT("later") }
    };
    char digits[3][12];
    for (int i = 0; i < 3; i++) {
        details[i].value = plug_make_text(digits[i], (uint64_t)snprintf(digits[i], sizeof digits[i], "%u", codes[i]));
    }
    late->host->publish_event(late->host, late->exchange, PLUG_TEXT("com.example.double-wake.codes"), details, 3);
    return NULL;
}

// The thread does not wait for the loop, so the loop can wait for it.
static void join(void *state) {
    pthread_join(((late_wake *)state)->thread, NULL);
    free(state);
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    if (host->visit(exchange) != PLUG_VISIT_FIRST) return PLUG_VERDICT_NEXT;
    late_wake *late = calloc(1, sizeof *late);
    if (!late) return host->fault(exchange, PLUG_TEXT("there is no memory"));
    late->host = host;
    late->exchange = host->exchange_id(exchange);
    plug_verdict verdict = host->wait(exchange, 10000000000, &late->ticket);
    late->first = host->wake(host, late->ticket);
    late->second = host->wake(host, late->ticket);
    if (pthread_create(&late->thread, NULL, wake_again, late) == 0) {
        host->set_exchange_state(exchange, late, join);
    } else {
        free(late);
    }
    return verdict;
}

PLUGBOARD_METADATA(double_wake, "com.example.double-wake", "1.0.0");
PLUGBOARD_PLUGIN(double_wake) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.double-wake"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Wakes each ticket three times."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
