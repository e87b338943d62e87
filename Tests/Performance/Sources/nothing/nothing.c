#include "nothing.h"

#include <stddef.h>

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    (void)settings;
    return (void *)host;
}

static plug_verdict let_pass(void *self, plug_exchange *exchange) {
    (void)self, (void)exchange;
    return PLUG_VERDICT_NEXT;
}

static void on_close(void *self, plug_exchange *exchange, plug_close outcome) {
    (void)self, (void)exchange, (void)outcome;
}

#define PLUGIN(number) { \
    .abi_revision = PLUG_ABI_REVISION, \
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE | PLUG_ON_FAILURE | PLUG_ON_CLOSE, \
    .id = PLUG_LITERAL("nothing" #number), .version = PLUG_LITERAL("1.0.0"), .priority = number, \
    .create = create, .on_request = let_pass, .on_response = let_pass, .on_failure = let_pass, .on_close = on_close }

static const plug_plugin_v1 plugins[NOTHING_COUNT] = {
    PLUGIN(1), PLUGIN(2), PLUGIN(3), PLUGIN(4), PLUGIN(5), PLUGIN(6), PLUGIN(7), PLUGIN(8),
};

const plug_plugin_v1 *nothing_plugin(uint32_t number) { return number < NOTHING_COUNT ? &plugins[number] : NULL; }
