// An indicator in C: a spinner on the terminal while requests are under way, shown after a delay, counted, and with the
// message of the request. A graphical program would show its own window in place of `draw`.
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

typedef struct indicator {
    const plug_host_v1 *host;
    int64_t delay;
    int terminal;           // -1 without one
    pthread_mutex_t lock;   // several loops may call the plugin at once; what follows is under this lock
    int active;             // requests under way
    int suspended;          // those of them that the program has suspended
    int64_t since;          // when the first of them began
    int has_timer;
    int is_shown;
    unsigned drawings;
    char message[64];
    char line[128];         // what was drawn last
    size_t line_count, written;
} indicator;

// What one exchange has added to the count, so that its end subtracts it once.
typedef struct counted {
    int is_suspended;
} counted;

static void publish(indicator *self, plug_text id) {
    self->host->publish_event(self->host, 0, id, NULL, 0);
}

// The hooks run on the kernel's loop, which must not wait for a terminal that was stopped (Ctrl-S). O_NONBLOCK on
// standard error itself would hold for all programs that share it, so it is opened again.
static int open_terminal(void) {
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

// Draws on the terminal, and only there. The cursor returns to the beginning of the line, so that other output
// overwrites the spinner. A line that the terminal has taken in part is ended before another one begins.
static void draw(indicator *self) {
    if (self->terminal < 0 || !flush(self)) return;
    int count = self->is_shown
        ? snprintf(self->line, sizeof self->line, "\r%c %s (%d)\x1b[K\r",
              self->suspended > 0 ? '=' : "|/-\\"[self->drawings++ % 4], self->message, self->active)
        : snprintf(self->line, sizeof self->line, "\r\x1b[K");
    self->line_count = count > 0 ? (size_t)count : 0;
    self->written = 0;
    flush(self);
}

static void fired(void *context);

static void set_timer(indicator *self, int64_t after) {
    if (self->has_timer) return;
    self->has_timer = self->host->start_timer(self->host, after, self, fired) != 0;
}

static void fired(void *context) {
    indicator *self = context;
    pthread_mutex_lock(&self->lock);
    self->has_timer = 0;
    if (self->active > 0) {
        int64_t left = self->since + self->delay - self->host->now(self->host);
        // The timer may be that of requests which have ended.
        if (!self->is_shown && left <= 0) {
            self->is_shown = 1;
            publish(self, PLUG_TEXT("com.example.indicator.shown"));
        }
        if (self->is_shown) draw(self);
        set_timer(self, self->is_shown ? INTERVAL : left);
    }
    pthread_mutex_unlock(&self->lock);
}

// A message is text from a program: control characters would control the terminal.
static void keep_message(indicator *self, plug_text message) {
    uint64_t count = message.count < sizeof self->message - 1 ? message.count : sizeof self->message - 1;
    for (uint64_t i = 0; i < count; i++) {
        self->message[i] = (message.bytes[i] >= 0x20 && message.bytes[i] < 0x7f) ? message.bytes[i] : '?';
    }
    self->message[count] = 0;
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    indicator *self = context;
    if (self->host->exchange_state(exchange) != NULL) return PLUG_VERDICT_NEXT;   // sent again from further out
    counted *own = calloc(1, sizeof *own);
    if (own == NULL) return self->host->fault(exchange, PLUG_TEXT("there is no memory for its state"));
    if (self->host->set_exchange_state(exchange, own, free) != PLUG_OK) {
        free(own);
        return PLUG_VERDICT_NEXT;
    }
    plug_text message = self->host->attribute(exchange, PLUG_TEXT("com.example.indicator.message"));
    pthread_mutex_lock(&self->lock);
    keep_message(self, message.bytes != NULL ? message : PLUG_TEXT("Loading"));
    if (self->active++ == 0) {
        self->since = self->host->now(self->host);
        set_timer(self, self->delay);
    }
    pthread_mutex_unlock(&self->lock);
    return PLUG_VERDICT_NEXT;
}

static int is(plug_text id, const char *name) { return id.count == strlen(name) && !memcmp(id.bytes, name, id.count); }

static void on_event(void *context, plug_exchange *exchange, const plug_event *event) {
    indicator *self = context;
    counted *own = exchange == NULL ? NULL : self->host->exchange_state(exchange);
    if (own == NULL) return;   // a sub-request that this plugin did not see
    plug_text id = self->host->event_id(event);
    pthread_mutex_lock(&self->lock);
    self->suspended -= own->is_suspended;
    own->is_suspended = is(id, "suspended");
    self->suspended += own->is_suspended;
    if (is(id, "completed") && --self->active == 0 && self->is_shown) {
        self->is_shown = 0;
        publish(self, PLUG_TEXT("com.example.indicator.hidden"));
        draw(self);
    }
    pthread_mutex_unlock(&self->lock);
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
}};
static const plug_text events[] = { PLUG_LITERAL("suspended"), PLUG_LITERAL("resumed"), PLUG_LITERAL("completed") };

PLUGBOARD_METADATA(indicator, "com.example.indicator", "1.0.0");
PLUGBOARD_PLUGIN(indicator) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.indicator"),
    .version = PLUG_LITERAL("1.0.0"), .documentation = PLUG_LITERAL("Shows a spinner while requests are under way."),
    .priority = 20, .hooks = PLUG_ON_REQUEST | PLUG_ON_EVENT, .settings = settings, .setting_count = 1,
    .attributes = attributes, .attribute_count = 1, .events = events, .event_count = 3, .create = create,
    .destroy = destroy, .on_request = on_request, .on_event = on_event,
};
