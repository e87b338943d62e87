// Adds the field `x-@name@` to requests.
//
// plugboard.h is the manual: the thread of each function, the owner of each pointer.
#include <plugboard.h>

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One instance serves all exchanges, on all loops: state that changes is shared between threads.
typedef struct instance {
    const plug_host_v1 *host;
    plug_metric added;
    atomic_uint_least64_t requests;
    uint64_t every;
    uint64_t count;
    char value[];
} instance;

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    // The kernel has checked the settings against the table below, and filled in defaults. The text is valid until this
    // function returns.
    int64_t every = 1;
    plug_text value = {0};
    host->setting_integer(settings, PLUG_TEXT("every"), &every);
    host->setting_text(settings, PLUG_TEXT("value"), &value);
    instance *self = calloc(1, sizeof *self + value.count);
    if (self == NULL) {
        host->refuse(host, PLUG_TEXT("There is no memory for it."));
        return NULL;
    }
    self->host = host;
    atomic_init(&self->requests, 0);
    self->every = (uint64_t)every;
    self->count = value.count;
    memcpy(self->value, value.bytes, value.count);
    return self;
}

static plug_result start(void *context) {
    instance *self = context;
    self->added = self->host->counter(self->host, PLUG_TEXT("added"));
    return PLUG_OK;
}

// Runs on the loop and must not block it: to wait, return host->wait(…).
static plug_verdict on_request(void *context, plug_exchange *exchange) {
    instance *self = context;
    const plug_host_v1 *host = self->host;
    if (atomic_fetch_add(&self->requests, 1) % self->every != 0) return PLUG_VERDICT_NEXT;
    plug_head *request = host->request(exchange);
    plug_result result = host->set_field(request, PLUG_TEXT("x-@name@"), plug_make_text(self->value, self->count));
    if (result != PLUG_OK) {
        return host->fail(exchange, PLUG_TEXT("@name@.value"), PLUG_TEXT("The setting value cannot be the value of a field."));
    }
    host->metric_add(host, self->added, 1);
    return PLUG_VERDICT_NEXT;
}

// `plugboard @id@ show`. Not on the loop; may block. Replies once, with JSON.
static void command(void *context, plug_text name, plug_text arguments, plug_reply reply) {
    instance *self = context;
    (void)name, (void)arguments;
    char json[48];
    int count = snprintf(json, sizeof json, "{\"requests\":%" PRIuLEAST64 "}", atomic_load(&self->requests));
    self->host->reply_json(self->host, reply, plug_make_text(json, (uint64_t)count));
}

static const plug_option_v1 settings[] = {
    {
        .name = PLUG_LITERAL("value"), .type = PLUG_TYPE_TEXT, .fallback = PLUG_LITERAL("hello"),
        .minimum = 1, .maximum = 100, .documentation = PLUG_LITERAL("The value of the field."),
    },
    {
        .name = PLUG_LITERAL("every"), .type = PLUG_TYPE_INTEGER, .fallback = PLUG_LITERAL("1"),
        .minimum = 1, .maximum = 1000, .documentation = PLUG_LITERAL("One of that many requests gets it."),
    },
};

static const plug_command_v1 commands[] = {
    { .name = PLUG_LITERAL("show"), .documentation = PLUG_LITERAL("Shows how many requests came.") },
};

// Can be read from the file without running it. Equal to the descriptor's.
PLUGBOARD_METADATA(@module@, "@id@", "0.1.0");
PLUGBOARD_PLUGIN(@module@) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("@id@"), .version = PLUG_LITERAL("0.1.0"),
    .documentation = PLUG_LITERAL("Adds the field x-@name@ to requests."), .priority = 300, .hooks = PLUG_ON_REQUEST,
    .settings = settings, .setting_count = sizeof settings / sizeof *settings,
    .commands = commands, .command_count = sizeof commands / sizeof *commands,
    .create = create, .start = start, .destroy = free, .on_request = on_request, .command = command,
};
