// A connection without a thread: each request carries the token that a Redis server on this machine keeps for the
// request's host. The kernel watches the connection, and the exchange waits for the reply. Connections are kept for
// later questions.
#define _GNU_SOURCE
#include "plugboard.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LONGEST 4096   // bytes of a token

static const char lost[] = "The connection to the Redis server failed. Look whether it runs at the setting port.";
static const char none[] = "The Redis server has no token for the request's host. Give it one with SET.";
static const char refused[] = "The Redis server replied with an error. Look at its log.";
static const char malformed[] = "The Redis server replied with something else than a token of at most 4096 bytes.";
static const char late[] = "The Redis server did not reply within five seconds.";

typedef struct redis {
    const plug_host_v1 *host;
    struct sockaddr_in address;
    pthread_mutex_t lock;      // several loops may call the plugin at once; connections are used under this lock
    struct connection *idle;
} redis;

// A connection. It is idle, or it is the state of an exchange, whose question it asks.
typedef struct connection {
    redis *owner;
    struct connection *next;   // of those that are idle
    uint32_t holders;          // the watch, and the exchange
    int descriptor;
    plug_watch watch;
    _Bool is_reused, is_asked; // is_asked: there is no reply yet
    plug_ticket ticket;
    const char *failure;       // why there is no token
    plug_text token;           // within `reply`
    size_t reply_count;
    char command[400], reply[LONGEST + 32];
} connection;

static void leave_idle(connection *own) {
    connection **link = &own->owner->idle;
    while (*link != NULL && *link != own) link = &(*link)->next;
    if (*link != NULL) *link = own->next;
}

static void answer(connection *own, const char *failure) {
    const plug_host_v1 *host = own->owner->host;
    own->is_asked = 0;
    own->failure = failure;
    host->rewatch(host, own->watch, 0);
    host->wake(host, own->ticket);
}

// The last call for a watch, after `unwatch` and at the kernel's end: from here on the descriptor may be closed.
static void release_watch(void *context) {
    connection *own = context;
    redis *self = own->owner;
    pthread_mutex_lock(&self->lock);
    leave_idle(own);
    if (own->is_asked) answer(own, lost);
    close(own->descriptor);
    if (--own->holders == 0) free(own);
    pthread_mutex_unlock(&self->lock);
}

// The exchange needs the connection no more. One on which a reply may still come is not used again.
static void release_state(void *state) {
    connection *own = state;
    redis *self = own->owner;
    pthread_mutex_lock(&self->lock);
    _Bool is_clean = !own->is_asked && (own->failure == NULL || own->failure == none);
    // An idle connection is watched for its end.
    if (is_clean && self->host->rewatch(self->host, own->watch, PLUG_READY_READ) == PLUG_OK) {
        own->next = self->idle;
        self->idle = own;
    } else {
        self->host->unwatch(self->host, own->watch);
    }
    if (--own->holders == 0) free(own);
    pthread_mutex_unlock(&self->lock);
}

// Reads `$COUNT` CR LF, so many bytes, CR LF; or `$-1` for none, or `-` and an error, as one line. Returns 0 as long as
// the reply is not whole.
static _Bool parse(connection *own) {
    _Bool is_full = own->reply_count == sizeof own->reply - 1;
    own->reply[own->reply_count] = 0;
    own->failure = malformed;
    const char *line = strchr(own->reply, '\n');
    if (line == NULL) return is_full;
    if (own->reply[0] == '-') return own->failure = refused, 1;
    long count = own->reply[0] == '$' ? strtol(own->reply + 1, NULL, 10) : -2;
    size_t rest = own->reply_count - (size_t)(line + 1 - own->reply);
    if (count == -1 && rest == 0) return own->failure = none, 1;
    if (count < 0 || count > LONGEST || rest > (size_t)count + 2) return 1;
    if (rest < (size_t)count + 2) return is_full;
    own->token = plug_make_text(line + 1, (uint64_t)count);
    return own->failure = NULL, 1;
}

static void ready(void *context, plug_watch watch, plug_readiness what) {
    connection *own = context;
    redis *self = own->owner;
    ssize_t count = 0;
    pthread_mutex_lock(&self->lock);
    if (!own->is_asked) {   // the server has closed it
        leave_idle(own);
        self->host->unwatch(self->host, watch);
    } else if ((what & PLUG_READY_WRITE) != 0) {
        // So few bytes are taken at once.
        count = send(own->descriptor, own->command, strlen(own->command), MSG_NOSIGNAL);
        if (count == (ssize_t)strlen(own->command)) self->host->rewatch(self->host, watch, PLUG_READY_READ);
        else answer(own, lost);
    } else {
        count = recv(own->descriptor, own->reply + own->reply_count, sizeof own->reply - 1 - own->reply_count, 0);
        if (count > 0) own->reply_count += (size_t)count;
        if (count > 0 && parse(own)) answer(own, own->failure);
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) answer(own, lost);
    }
    pthread_mutex_unlock(&self->lock);
}

// Returns NULL where that is not possible. A connect that fails later is told by `ready`.
static connection *connect_now(redis *self) {
    connection *own = calloc(1, sizeof *own);
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (own != NULL && descriptor >= 0) {
        *own = (connection){ .owner = self, .holders = 1, .descriptor = descriptor };
        int code = connect(descriptor, (const struct sockaddr *)&self->address, sizeof self->address);
        if (code == 0 || errno == EINPROGRESS) {
            own->watch = self->host->watch(self->host, 0, descriptor, 0, own, ready, release_watch);
        }
        if (own->watch != 0) return own;
    }
    if (descriptor >= 0) close(descriptor);
    return free(own), NULL;
}

static plug_verdict fail(plug_exchange *exchange, const plug_host_v1 *host, const char *reason) {
    return host->fail(exchange, PLUG_TEXT("com.example.redis.token"), plug_make_text(reason, strlen(reason)));
}

static plug_verdict ask(redis *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self->host;
    plug_url_parts_v1 url = {0};
    host->url_parts(host->url(host->request(exchange)), &url);
    if (url.host.count > 255) return fail(exchange, host, none);   // longer than names are
    pthread_mutex_lock(&self->lock);
    connection *own = self->idle != NULL ? self->idle : connect_now(self);
    plug_verdict verdict = PLUG_VERDICT_NEXT;
    if (own != NULL) {
        own->is_reused = own == self->idle;
        if (own->is_reused) self->idle = own->next;
        own->holders++;
        own->is_asked = 1;
        own->reply_count = 0;
        snprintf(own->command, sizeof own->command, "*2\r\n$3\r\nGET\r\n$%d\r\n%.*s\r\n", (int)url.host.count,
            (int)url.host.count, url.host.bytes);
        verdict = host->wait(exchange, INT64_C(5000000000), &own->ticket);
        if (host->rewatch(host, own->watch, PLUG_READY_WRITE) != PLUG_OK) answer(own, lost);
    }
    pthread_mutex_unlock(&self->lock);
    if (own == NULL) return fail(exchange, host, lost);
    host->set_exchange_state(exchange, own, release_state);
    return verdict;
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    redis *self = context;
    const plug_host_v1 *host = self->host;
    connection *own = host->exchange_state(exchange);
    switch (host->visit(exchange)) {
    case PLUG_VISIT_FIRST: return ask(self, exchange);
    case PLUG_VISIT_DEADLINE: return fail(exchange, host, late);
    }
    // The server may close an idle connection at the moment it is used.
    if (own->failure == lost && own->is_reused) return ask(self, exchange);
    if (own->failure != NULL) return fail(exchange, host, own->failure);
    plug_head *request = host->request(exchange);
    // Refused for a token with a line break.
    if (host->set_field(request, PLUG_TEXT("x-token"), own->token) != PLUG_OK) return fail(exchange, host, malformed);
    host->mark_secret(request, PLUG_TEXT("x-token"));
    host->set_exchange_state(exchange, NULL, NULL);   // the connection is free for others
    return PLUG_VERDICT_NEXT;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    int64_t port = 0;
    host->setting_integer(settings, PLUG_TEXT("port"), &port);
    redis *self = calloc(1, sizeof *self);
    if (self == NULL) return host->refuse(host, PLUG_TEXT("there is no memory for it")), NULL;
    self->host = host;
    self->address.sin_family = AF_INET;
    self->address.sin_port = htons((uint16_t)port);
    self->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void destroy(void *context) {
    redis *self = context;
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static const plug_option_v1 settings[] = {{
    .name = PLUG_LITERAL("port"), .type = PLUG_TYPE_INTEGER, .fallback = PLUG_LITERAL("6379"),
    .minimum = 1, .maximum = 65535, .documentation = PLUG_LITERAL("The port of the Redis server."),
}};

PLUGBOARD_METADATA(redis, "com.example.redis", "1.0.0");
PLUGBOARD_PLUGIN(redis) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.redis"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Takes tokens from a Redis server."), .priority = 510, .hooks = PLUG_ON_REQUEST,
    .settings = settings, .setting_count = 1, .create = create, .destroy = destroy, .on_request = on_request,
};
