// An indicator in C: a spinner on the terminal while requests are under way, shown after a delay, counted, with the
// message of a request and a bar where its length is known. A modal request is shown before others, and one whose
// response is stored is not. A graphical program would show its own window in place of `draw`.
#define _POSIX_C_SOURCE 200809L
#include "plugboard.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL (100 * INT64_C(1000000))

// One request under way: the state of its exchange.
typedef struct request {
    struct indicator *owner;
    struct request *next;
    int64_t since, done, total;   // bytes of the body that moves now; total is 0 if it is not known
    int is_suspended, is_modal, is_over;
    char message[64];
} request;

typedef struct indicator {
    const plug_host_v1 *host;
    int64_t delay;
    int terminal;           // -1 without one
    pthread_mutex_t lock;   // several loops may call the plugin at once; what follows is under this lock
    request *requests;      // the oldest first
    int has_timer;
    int is_shown, was_told, is_publishing;   // was_told: what was published last
    unsigned drawings;
    char line[256];         // what was drawn last
    size_t line_count, written;
} indicator;

// Publishes whether requests are shown, if that has changed. Other plugins' hooks run meanwhile, so the lock is not
// held. One thread publishes at a time: the last event always tells what is true.
static void publish(indicator *self) {
    pthread_mutex_lock(&self->lock);
    while (!self->is_publishing && self->was_told != self->is_shown) {
        int is_shown = self->was_told = self->is_shown;
        self->is_publishing = 1;
        pthread_mutex_unlock(&self->lock);
        plug_text id = is_shown ? PLUG_TEXT("com.example.indicator.shown") : PLUG_TEXT("com.example.indicator.hidden");
        self->host->publish_event(self->host, 0, id, NULL, 0);
        pthread_mutex_lock(&self->lock);
        self->is_publishing = 0;
    }
    pthread_mutex_unlock(&self->lock);
}

// The hooks run on the kernel's loop, which must not wait for a terminal that was stopped (Ctrl-S). O_NONBLOCK on
// standard error itself would hold for all programs that share it, so it is opened again. TERM is dumb if the terminal
// has no control sequences, or if the program draws on it itself.
static int open_terminal(void) {
    const char *kind = getenv("TERM");
    if (kind != NULL && strcmp(kind, "dumb") == 0) return -1;
    if (!isatty(STDERR_FILENO)) return -1;
    return open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

// Returns 0 if the terminal does not take the rest of the line now.
static int flush(indicator *self) {
    while (self->written < self->line_count) {
        ssize_t count = write(self->terminal, self->line + self->written, self->line_count - self->written);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && errno == EAGAIN) return 0;
        self->written = count < 0 ? self->line_count : self->written + (size_t)count;   // < 0: the terminal is gone
    }
    return 1;
}

// The request to show: a modal one, else the oldest; NULL if none has taken longer than the delay.
static const request *shown(const indicator *self, int *count) {
    const request *first = NULL;
    int64_t now = self->host->now(self->host);
    *count = 0;
    for (const request *each = self->requests; each != NULL; each = each->next) {
        if (each->is_over || each->since + self->delay > now) continue;
        if (first == NULL || (each->is_modal && !first->is_modal)) first = each;
        ++*count;
    }
    return first;
}

// Draws on the terminal, and only there. The cursor returns to the beginning of the line, so that other output
// overwrites the spinner. A line that the terminal has taken in part is ended before another one begins.
static void draw(indicator *self) {
    int count;
    const request *first = shown(self, &count);
    if (first == NULL && !self->is_shown) return;
    self->is_shown = first != NULL;
    if (self->terminal < 0 || !flush(self)) return;
    char bar[32] = "";
    if (first != NULL && first->total > 0) {
        int tenths = first->done >= first->total ? 10 : (int)((double)first->done / (double)first->total * 10);
        snprintf(bar, sizeof bar, " [%.*s%.*s]", tenths, "##########", 10 - tenths, "..........");
    }
    int length = first != NULL
        ? snprintf(self->line, sizeof self->line, "\r%c %s%s (%d)\x1b[K\r",
              first->is_suspended ? '=' : "|/-\\"[self->drawings++ % 4], first->message, bar, count)
        : snprintf(self->line, sizeof self->line, "\r\x1b[K");
    self->line_count = length > 0 ? (size_t)length : 0;
    self->written = 0;
    flush(self);
}

static void fired(void *context);

static void set_timer(indicator *self) {
    if (self->has_timer || self->requests == NULL) return;
    int64_t left = self->requests->since + self->delay - self->host->now(self->host);
    self->has_timer = self->host->start_timer(self->host, 0, left > 0 ? left : INTERVAL, self, fired) != 0;
}

static void fired(void *context) {
    indicator *self = context;
    pthread_mutex_lock(&self->lock);
    self->has_timer = 0;
    draw(self);
    set_timer(self);
    pthread_mutex_unlock(&self->lock);
    publish(self);
}

// Keeps as many whole characters of a message in UTF-8 as there is room for. The message is text from a program: its
// control characters would control the terminal. Those of C1 are two bytes that begin with 0xC2, or one byte that is
// not UTF-8.
static void keep_message(request *own, plug_text message) {
    size_t kept = 0;
    for (uint64_t i = 0; i < message.count;) {
        const unsigned char *byte = (const unsigned char *)message.bytes + i;
        size_t length = *byte < 0xc0 ? 1 : *byte < 0xe0 ? 2 : *byte < 0xf0 ? 3 : 4;
        if (i + length > message.count || kept + length >= sizeof own->message) break;
        int is_control = *byte < 0x20 || (*byte >= 0x7f && *byte < 0xc0) || (*byte == 0xc2 && byte[1] < 0xa0);
        if (is_control) {
            own->message[kept++] = '?';
        } else {
            memcpy(own->message + kept, byte, length);
            kept += length;
        }
        i += length;
    }
    own->message[kept] = 0;
}

// The exchange has ended, and releases its state.
static void release(void *state) {
    request *own = state;
    indicator *self = own->owner;
    pthread_mutex_lock(&self->lock);
    for (request **link = &self->requests; *link != NULL; link = &(*link)->next) {
        if (*link == own) {
            *link = own->next;
            break;
        }
    }
    pthread_mutex_unlock(&self->lock);
    free(own);
}

static int is(plug_text id, const char *name) { return id.count == strlen(name) && !memcmp(id.bytes, name, id.count); }

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    indicator *self = context;
    if (self->host->exchange_state(exchange) != NULL) return PLUG_VERDICT_NEXT;   // sent again from further out
    request *own = calloc(1, sizeof *own);
    if (own == NULL) return self->host->fault(exchange, PLUG_TEXT("there is no memory for its state"));
    own->owner = self;
    own->since = self->host->now(self->host);
    plug_text message = self->host->attribute(exchange, PLUG_TEXT("com.example.indicator.message"));
    keep_message(own, message.bytes != NULL ? message : PLUG_TEXT("Loading"));
    own->is_modal = is(self->host->attribute(exchange, PLUG_TEXT("com.example.indicator.modal")), "true");
    if (self->host->set_exchange_state(exchange, own, release) != PLUG_OK) {
        free(own);
        return PLUG_VERDICT_NEXT;
    }
    pthread_mutex_lock(&self->lock);
    request **last = &self->requests;
    while (*last != NULL) last = &(*last)->next;
    *last = own;
    set_timer(self);
    pthread_mutex_unlock(&self->lock);
    return PLUG_VERDICT_NEXT;
}

// A response without an attempt on the network was stored, as by the cache: reading it is not worth an indicator.
static plug_verdict on_response(void *context, plug_exchange *exchange) {
    indicator *self = context;
    request *own = self->host->exchange_state(exchange);
    if (own == NULL || self->host->attempt(exchange) > 0) return PLUG_VERDICT_NEXT;
    pthread_mutex_lock(&self->lock);
    own->is_over = 1;
    pthread_mutex_unlock(&self->lock);
    return PLUG_VERDICT_NEXT;
}

static void on_event(void *context, plug_exchange *exchange, const plug_event *event) {
    indicator *self = context;
    request *own = exchange == NULL ? NULL : self->host->exchange_state(exchange);
    if (own == NULL) return;   // a sub-request that this plugin did not see
    plug_text id = self->host->event_id(event);
    pthread_mutex_lock(&self->lock);
    if (is(id, "progress")) {
        // What is sent comes first; the response's body follows.
        int64_t received = 0;
        self->host->event_integer(event, PLUG_TEXT("received"), &received);
        own->done = received;
        if (received == 0) self->host->event_integer(event, PLUG_TEXT("sent"), &own->done);
        plug_text total = received > 0 ? PLUG_TEXT("toReceive") : PLUG_TEXT("toSend");
        if (self->host->event_integer(event, total, &own->total) != PLUG_OK) own->total = 0;
    } else if (is(id, "completed")) {
        own->is_over = 1;
        if (self->is_shown) draw(self);
    } else {
        own->is_suspended = is(id, "suspended");
    }
    pthread_mutex_unlock(&self->lock);
    publish(self);
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    indicator *self = calloc(1, sizeof *self);
    if (self == NULL || host->setting_integer(settings, PLUG_TEXT("delay"), &self->delay) != PLUG_OK) {
        host->refuse(host, PLUG_TEXT("there is no memory for it"));
        free(self);
        return NULL;
    }
    self->host = host;
    self->terminal = open_terminal();
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void destroy(void *context) {
    indicator *self = context;
    if (self->terminal >= 0) close(self->terminal);
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static const plug_option_v1 settings[] = {{
    .name = PLUG_LITERAL("delay"), .type = PLUG_TYPE_DURATION, .fallback = PLUG_LITERAL("300ms"),
    .minimum = 0, .maximum = INT64_MAX, .documentation = PLUG_LITERAL("How long a request takes before it is shown."),
}};
static const plug_option_v1 attributes[] = {{
    .name = PLUG_LITERAL("message"), .type = PLUG_TYPE_TEXT,
    .documentation = PLUG_LITERAL("The message that is shown while the request is under way."),
}, {
    .name = PLUG_LITERAL("modal"), .type = PLUG_TYPE_BOOL,
    .documentation = PLUG_LITERAL("Whether the user has to wait for the request: it is shown before others."),
}};
static const plug_text events[] = { PLUG_LITERAL("suspended"), PLUG_LITERAL("resumed"), PLUG_LITERAL("progress"),
    PLUG_LITERAL("completed") };

PLUGBOARD_METADATA(indicator, "com.example.indicator", "1.0.0");
PLUGBOARD_PLUGIN(indicator) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.indicator"),
    .version = PLUG_LITERAL("1.0.0"), .documentation = PLUG_LITERAL("Shows a spinner while requests are under way."),
    .priority = 20, .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE | PLUG_ON_EVENT,
    .settings = settings, .setting_count = 1, .attributes = attributes, .attribute_count = 2,
    .events = events, .event_count = 4, .create = create, .destroy = destroy,
    .on_request = on_request, .on_response = on_response, .on_event = on_event,
};
