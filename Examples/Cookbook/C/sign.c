// Signing with the time of day: `x-signature: 1767323045.POST.5f…`, with a checksum that stands for a real signature.
// After a 401 with the server's time in `x-time` (seconds since 1970), signs again with that time, once an exchange.
#include "plugboard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct sign {
    const plug_host_v1 *host;
    uint64_t key;
} sign;

static uint64_t mixed(uint64_t sum, plug_text text) {
    for (uint64_t i = 0; i < text.count; i++) sum = (sum ^ (unsigned char)text.bytes[i]) * UINT64_C(1099511628211);
    return sum;
}

static void set_signature(sign *self, plug_exchange *exchange, plug_text time) {
    const plug_host_v1 *host = self->host;
    plug_head *request = host->request(exchange);
    plug_text method = host->method(request);
    uint64_t sum = mixed(mixed(mixed(self->key, host->url(request)), time), method);
    char value[96];
    int count = snprintf(value, sizeof value, "%.*s.%.*s.%016" PRIx64, (int)time.count, time.bytes,
        (int)(method.count > 32 ? 32 : method.count), method.bytes, sum);
    host->set_field(request, PLUG_TEXT("x-signature"), plug_make_text(value, (uint64_t)count));
    host->mark_secret(request, PLUG_TEXT("x-signature"));
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    sign *self = context;
    char time[24];
    int count = snprintf(time, sizeof time, "%" PRId64, self->host->wall_clock(self->host) / 1000000000);
    set_signature(self, exchange, plug_make_text(time, (uint64_t)count));
    return PLUG_VERDICT_NEXT;
}

static plug_verdict on_response(void *context, plug_exchange *exchange) {
    sign *self = context;
    const plug_host_v1 *host = self->host;
    plug_head *response = host->response(exchange);
    plug_text time = host->field(response, PLUG_TEXT("x-time"));
    _Bool was_believed = host->exchange_state(exchange) != NULL;
    if (host->status(response) != 401 || time.count == 0 || time.count > 18 || was_believed
        || host->can_resend(exchange) != PLUG_OK) {
        return PLUG_VERDICT_NEXT;
    }
    host->set_exchange_state(exchange, self, NULL);
    host->log(host, PLUG_LOG_WARNING, PLUG_TEXT("The server's clock differs from this one."));
    host->publish_event(host, host->exchange_id(exchange), PLUG_TEXT("com.example.sign.corrected"), NULL, 0);
    set_signature(self, exchange, time);
    return host->resend(exchange, 1000000000);
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plug_text key = {0};
    sign *self = malloc(sizeof *self);
    if (self == NULL) return host->refuse(host, PLUG_TEXT("There is no memory.")), NULL;
    host->setting_text(settings, PLUG_TEXT("key"), &key);
    *self = (sign){ host, mixed(UINT64_C(14695981039346656037), key) };
    return self;
}

static const plug_option_v1 settings[] = {{
    .name = PLUG_LITERAL("key"), .type = PLUG_TYPE_TEXT, .flags = PLUG_FLAG_SECRET | PLUG_FLAG_REQUIRED, .minimum = 1,
    .maximum = 100, .documentation = PLUG_LITERAL("What requests are signed with."),
}};

PLUGBOARD_METADATA(sign, "com.example.sign", "1.0.0");
PLUGBOARD_PLUGIN(sign) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.sign"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Signs requests with the time of day."), .priority = 900,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE, .settings = settings, .setting_count = 1,
    .create = create, .destroy = free, .on_request = on_request, .on_response = on_response,
};
