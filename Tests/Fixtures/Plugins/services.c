// Uses the services that need no exchange: each by a command of its name, whose reply has the result.
#include <plugboard.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ID "com.example.services"

typedef struct plugin {
    const plug_host_v1 *host;
    int64_t created_at;      // host->now in create
    plug_metric fired, twice;
} plugin;

// A command that replies later.
typedef struct later {
    plugin *self;
    plug_reply reply;
} later;

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    plugin *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->host = host;
    self->created_at = host->now(host);
    host->log(host, PLUG_LOG_INFO, PLUG_TEXT("created"));
    return self;
}

static plug_result start(void *context) {
    plugin *self = context;
    self->fired = self->host->counter(self->host, PLUG_TEXT("fired"));
    self->twice = self->host->counter(self->host, PLUG_TEXT("twice"));
    return PLUG_OK;
}

static void give_reply(plugin *self, plug_reply reply, const char *json) {
    self->host->reply_json(self->host, reply, plug_make_text(json, strlen(json)));
}

static void log_all(plugin *self, plug_reply reply) {
    const plug_host_v1 *host = self->host;
    host->log(host, PLUG_LOG_DEBUG, PLUG_TEXT("a debug line"));
    host->log(host, PLUG_LOG_WARNING, PLUG_TEXT("a warning"));
    host->log(host, PLUG_LOG_ERROR, PLUG_TEXT("an error"));
    host->log(host, 99, PLUG_TEXT("a line of no level"));
    char json[32];
    snprintf(json, sizeof json, "%" PRIu32, host->log_level(host));
    give_reply(self, reply, json);
}

static void clocks(plugin *self, plug_reply reply) {
    char json[128];
    snprintf(json, sizeof json, "{ \"created\": %" PRId64 ", \"now\": %" PRId64 ", \"wall\": %" PRId64 " }",
        self->created_at, self->host->now(self->host), self->host->wall_clock(self->host));
    give_reply(self, reply, json);
}

static void random_bytes(plugin *self, plug_reply reply) {
    unsigned char bytes[16];
    char json[2 * sizeof bytes + 3] = "\"";
    self->host->random(self->host, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(json + 1 + 2 * i, 3, "%02x", bytes[i]);
    strcat(json, "\"");
    give_reply(self, reply, json);
}

static void configuration_directory(plugin *self, plug_reply reply) {
    plug_text path = self->host->configuration_directory(self->host);
    char json[1024];
    snprintf(json, sizeof json, "\"%.*s\"", (int)path.count, path.bytes);
    give_reply(self, reply, json);
}

static void directory(plugin *self, plug_reply reply) {
    plug_text path = self->host->data_directory(self->host);
    plug_text again = self->host->data_directory(self->host);
    char json[1024];
    snprintf(json, sizeof json, "{ \"path\": \"%.*s\", \"same\": %s }", (int)path.count, path.bytes,
        path.bytes == again.bytes ? "true" : "false");
    give_reply(self, reply, json);
}

static void fired(void *context) {
    later *mine = context;
    const plug_host_v1 *host = mine->self->host;
    host->metric_add(host, mine->self->fired, 1);
    host->reply_json(host, mine->reply, PLUG_TEXT("\"later\""));
    if (host->reply_json(host, mine->reply, PLUG_TEXT("\"again\"")) == PLUG_STALE) {
        host->metric_add(host, mine->self->twice, 1);
    }
    free(mine);
}

// Replies after two seconds, and a second time; publishes an event when it begins to wait.
static void reply_later(plugin *self, plug_reply reply) {
    later *mine = malloc(sizeof *mine);
    if (!mine) return give_reply(self, reply, "null");
    *mine = (later){ self, reply };
    self->host->start_timer(self->host, 0, 2000000000, mine, fired);
    self->host->publish_event(self->host, 0, PLUG_TEXT(ID ".waiting"), NULL, 0);
}

static void never(void *context) {
    plugin *self = context;
    self->host->metric_add(self->host, self->fired, 100);
}

static void cancel_timer(plugin *self, plug_reply reply) {
    plug_timer timer = self->host->start_timer(self->host, 0, 1000000000, self, never);
    uint32_t first = self->host->cancel_timer(self->host, timer);
    uint32_t second = self->host->cancel_timer(self->host, timer);
    char json[32];
    snprintf(json, sizeof json, "[%" PRIu32 ", %" PRIu32 "]", first, second);
    give_reply(self, reply, json);
}

static void publish(plugin *self, plug_reply reply) {
    const plug_host_v1 *host = self->host;
    plug_field details[] = { { PLUG_TEXT("number"), PLUG_TEXT("42") }, { PLUG_TEXT("word"), PLUG_TEXT("hello") } };
    uint32_t own = host->publish_event(host, 0, PLUG_TEXT(ID ".told"), details, 2);
    uint32_t others = host->publish_event(host, 0, PLUG_TEXT("cache.hit"), NULL, 0);
    uint32_t kernels = host->publish_event(host, 0, PLUG_TEXT("completed"), NULL, 0);
    uint32_t bare = host->publish_event(host, 0, PLUG_TEXT(ID), NULL, 0);
    char json[64];
    snprintf(json, sizeof json, "[%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "]", own, others, kernels, bare);
    give_reply(self, reply, json);
}

static void count(plugin *self, plug_reply reply) {
    const plug_host_v1 *host = self->host;
    plug_metric first = host->counter(host, PLUG_TEXT("things"));
    plug_metric second = host->counter(host, PLUG_TEXT("things"));
    host->metric_add(host, first, 5);
    host->metric_add(host, second, -2);
    host->metric_add(host, 9999, 1);   // none: nothing happens
    give_reply(self, reply, first == second ? "true" : "false");
}

// The bytes of a body may outlive the instance, so their counter does too.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int releases;

static void release(void *context) {
    pthread_mutex_lock(&lock);
    releases++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

// Waits for the first release: commands may block.
static void wait_for_release(plugin *self, plug_reply reply) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    pthread_mutex_lock(&lock);
    while (releases == 0 && pthread_cond_timedwait(&changed, &lock, &end) == 0) {}
    char json[24];
    snprintf(json, sizeof json, "%d", releases);
    pthread_mutex_unlock(&lock);
    give_reply(self, reply, json);
}

static void body(plugin *self, plug_reply reply) {
    static const char text[] = "a body";
    plug_bytes bytes = { text, sizeof text - 1, release, NULL };
    self->host->reply_body(self->host, reply, self->host->body_of_bytes(self->host, bytes));
}

static void refuse(plugin *self, plug_reply reply) {
    self->host->reply_fail(self->host, reply, PLUG_TEXT(ID ".refused"), PLUG_TEXT("Not today."));
}

static void version(plugin *self, plug_reply reply) {
    char json[64];
    snprintf(json, sizeof json, "\"%.*s\"", (int)self->host->version.count, self->host->version.bytes);
    give_reply(self, reply, json);
}

static const struct { plug_text name; void (*run)(plugin *self, plug_reply reply); } services[] = {
    { PLUG_LITERAL("log"), log_all }, { PLUG_LITERAL("clocks"), clocks }, { PLUG_LITERAL("random"), random_bytes },
    { PLUG_LITERAL("configuration"), configuration_directory }, { PLUG_LITERAL("directory"), directory }, { PLUG_LITERAL("later"), reply_later },
    { PLUG_LITERAL("cancel"), cancel_timer }, { PLUG_LITERAL("publish"), publish }, { PLUG_LITERAL("count"), count },
    { PLUG_LITERAL("body"), body }, { PLUG_LITERAL("refuse"), refuse },
    { PLUG_LITERAL("version"), version }, { PLUG_LITERAL("released"), wait_for_release },
};

static void command(void *self, plug_text name, plug_text arguments, plug_reply reply) {
    for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
        if (services[i].name.count == name.count && memcmp(services[i].name.bytes, name.bytes, name.count) == 0) {
            return services[i].run(self, reply);
        }
    }
}

static const plug_command_v1 commands[] = {
    { .name = PLUG_LITERAL("log") }, { .name = PLUG_LITERAL("clocks") }, { .name = PLUG_LITERAL("random") },
    { .name = PLUG_LITERAL("configuration") }, { .name = PLUG_LITERAL("directory") }, { .name = PLUG_LITERAL("later") }, { .name = PLUG_LITERAL("cancel") },
    { .name = PLUG_LITERAL("publish") }, { .name = PLUG_LITERAL("count") }, { .name = PLUG_LITERAL("body") },
    { .name = PLUG_LITERAL("refuse") }, { .name = PLUG_LITERAL("version") },
    { .name = PLUG_LITERAL("released") },
};

PLUGBOARD_METADATA(services, ID, "1.0.0");
PLUGBOARD_PLUGIN(services) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL(ID),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Uses the services that need no exchange."),
    .priority = 500,
    .commands = commands,
    .command_count = sizeof commands / sizeof *commands,
    .create = create,
    .start = start,
    .destroy = free,
    .command = command,
};
