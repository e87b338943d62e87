// Numbers requests: `x-stamp: 1`, `x-stamp: 2`, …
#include "plugboard.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct stamp {
    const plug_host_v1 *host;
    plug_metric stamped;
    _Atomic int64_t next;   // loops share the instance
} stamp;

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    int64_t first = 1;
    host->setting_integer(settings, PLUG_TEXT("start"), &first);
    stamp *self = calloc(1, sizeof *self);
    if (self == NULL) {
        host->refuse(host, PLUG_TEXT("there is no memory for it"));
        return NULL;
    }
    self->host = host;
    atomic_init(&self->next, first);
    return self;
}

static plug_result start(void *context) {
    stamp *self = context;
    self->stamped = self->host->counter(self->host, PLUG_TEXT("stamped"));
    return PLUG_OK;
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    stamp *self = context;
    char number[24];
    int count = snprintf(number, sizeof number, "%" PRId64, atomic_fetch_add(&self->next, 1));
    plug_head *request = self->host->request(exchange);
    self->host->set_field(request, PLUG_TEXT("x-stamp"), plug_make_text(number, (uint64_t)count));
    self->host->metric_add(self->host, self->stamped, 1);
    return PLUG_VERDICT_NEXT;
}

static const plug_option_v1 settings[] = {{
    .name = PLUG_LITERAL("start"), .type = PLUG_TYPE_INTEGER, .fallback = PLUG_LITERAL("1"),
    .minimum = 0, .maximum = INT32_MAX, .documentation = PLUG_LITERAL("The first number."),
}};

PLUGBOARD_METADATA(stamp, "com.example.stamp", "1.0.0");
PLUGBOARD_PLUGIN(stamp) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.stamp"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Numbers requests in the field x-stamp."), .priority = 910, .hooks = PLUG_ON_REQUEST,
    .settings = settings, .setting_count = sizeof settings / sizeof *settings,
    .create = create, .start = start, .destroy = free, .on_request = on_request,
};
