// libcurl's multi interface with what makes it fast, and nothing that a program could not do too:
//
// - a software timer: libcurl's next deadline is epoll_wait's time-out, and a time-out of 0 is acted upon at once;
// - lazy epoll: a socket that libcurl stops watching stays in the set until it reports an event that is not wanted;
// - easy handles that keep their options, and a URL parsed once.
//
//     cc -O2 -o tuned Sources/tuned/main.c -lcurl
#include "../client.h"

#include <signal.h>
#include <sys/epoll.h>

// By descriptor: what the kernel's epoll set holds, and what libcurl wants to hear of.
typedef struct {
    uint32_t watched;
    uint32_t wanted;
    bool is_in_set;
    bool is_connection;
} socket_state;

static int epoll_descriptor;
static int ticks;
static CURLM *multi;
static socket_state *sockets;
static size_t socket_count;
static double deadline = -1;  // of libcurl's timer, in monotonic seconds; negative when there is none
static bool is_due;           // libcurl asked for its timer at once

static socket_state *state_of(curl_socket_t socket) {
    size_t index = (size_t)socket;
    if (index >= socket_count) {
        size_t count = socket_count ? socket_count : 1024;
        while (count <= index) count *= 2;
        sockets = realloc(sockets, count * sizeof *sockets);
        check(sockets != NULL, "out of memory");
        memset(sockets + socket_count, 0, (count - socket_count) * sizeof *sockets);
        socket_count = count;
    }
    return &sockets[index];
}

static void watch(curl_socket_t socket, socket_state *state, uint32_t events) {
    struct epoll_event event = {.events = events, .data.fd = socket};
    int operation = !events ? EPOLL_CTL_DEL : state->is_in_set ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(epoll_descriptor, operation, socket, &event) != 0) fail("epoll_ctl");
    state->watched = events;
    state->is_in_set = events != 0;
}

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    (void)easy, (void)context, (void)known;
    socket_state *state = state_of(socket);
    state->wanted = what == CURL_POLL_REMOVE
        ? 0
        : (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) | (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);
    // The resolver's own descriptors are closed without a word to on_close_socket: they may not linger in the table.
    if (what == CURL_POLL_REMOVE && !state->is_connection && state->is_in_set) watch(socket, state, 0);
    // Too much is watched at worst: `act` narrows that when an unwanted event comes. Too little must be mended now.
    if (state->wanted & ~state->watched) watch(socket, state, state->wanted);
    return 0;
}

static int on_new_socket(void *context, curl_socket_t socket, curlsocktype purpose) {
    (void)context, (void)purpose;
    state_of(socket)->is_connection = true;
    return CURL_SOCKOPT_OK;
}

static int on_close_socket(void *context, curl_socket_t socket) {
    (void)context;
    // Closing takes it out of the set, and the next socket of that number is another one.
    *state_of(socket) = (socket_state){0};
    return close(socket);
}

static int on_timer(CURLM *handle, long milliseconds, void *context) {
    (void)handle, (void)context;
    is_due = milliseconds == 0;
    deadline = milliseconds > 0 ? wall_seconds() + (double)milliseconds / 1e3 : -1;
    return 0;
}

static void begin(client_slot *slot, const client_arguments *arguments) {
    (void)arguments;
    check(curl_multi_add_handle(multi, slot->easy) == CURLM_OK, "curl_multi_add_handle");
}

static void finish_exchanges(const client_arguments *arguments) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *easy = message->easy_handle;
        client_slot *slot = count_finished(arguments, easy, message->data.result);
        curl_multi_remove_handle(multi, easy);
        add_idle(slot);
        begin_requests(arguments);
    }
}

static void run_timer(const client_arguments *arguments) {
    int running;
    // Beginning the next exchanges makes the timer due again.
    while (is_due) {
        is_due = false;
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        finish_exchanges(arguments);
    }
}

static void act(const struct epoll_event *event) {
    curl_socket_t socket = event->data.fd;
    socket_state *state = state_of(socket);
    uint32_t trouble = event->events & (EPOLLERR | EPOLLHUP);
    if (!(event->events & state->wanted) && !(trouble && state->wanted)) {
        if (state->is_in_set) watch(socket, state, state->wanted);
        return;
    }
    int mask = (event->events & state->wanted & EPOLLIN ? CURL_CSELECT_IN : 0)
        | (event->events & state->wanted & EPOLLOUT ? CURL_CSELECT_OUT : 0) | (trouble ? CURL_CSELECT_ERR : 0);
    int running;
    curl_multi_socket_action(multi, socket, mask, &running);
}

// Waits, at most so many milliseconds, and acts on what happened; returns how many events there were.
static int turn(const client_arguments *arguments, int limit) {
    run_timer(arguments);
    if (counts.finished >= arguments->requests) return 0;
    int timeout = limit;
    if (deadline >= 0) {
        double left = (deadline - wall_seconds()) * 1e3;
        int rounded = left <= 0 ? 0 : (int)left + 1;
        if (timeout < 0 || rounded < timeout) timeout = rounded;
    }
    struct epoll_event events[256];
    int count = epoll_wait(epoll_descriptor, events, 256, timeout);
    if (count < 0 && errno != EINTR) fail("epoll_wait");
    for (int i = 0; i < count; i++) {
        if (events[i].data.fd != ticks) {
            act(&events[i]);
        } else {
            read_ticks(ticks);
            begin_requests(arguments);
        }
    }
    if (deadline >= 0 && wall_seconds() >= deadline) {
        deadline = -1;
        is_due = true;
    }
    finish_exchanges(arguments);
    return count;
}

int main(int count, char **values) {
    client_arguments arguments = parse_arguments(count, values);
    signal(SIGPIPE, SIG_IGN);  // which libcurl leaves to the program with NOSIGNAL
    raise_descriptor_limit();
    check(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "curl_global_init");
    epoll_descriptor = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_descriptor < 0) fail("epoll_create1");
    CURLU *url = curl_url();
    check(url && curl_url_set(url, CURLUPART_URL, arguments.url, 0) == CURLUE_OK, "not a URL");

    multi = curl_multi_init();
    check(multi != NULL, "curl_multi_init");
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, arguments.concurrency + 16);

    make_slots(&arguments);
    if (arguments.multiplexes) curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    long resident = resident_bytes();
    double cpu = cpu_seconds();
    start_time = wall_seconds();
    for (long i = 0; i < arguments.concurrency; i++) {
        CURL *easy = slots[i].easy = curl_easy_init();
        check(easy != NULL, "curl_easy_init");
        set_options(&slots[i], &arguments);
        curl_easy_setopt(easy, CURLOPT_CURLU, url);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, on_new_socket);
        curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
        add_idle(&slots[i]);
    }
    if ((ticks = tick_descriptor(&arguments)) >= 0) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = ticks};
        if (epoll_ctl(epoll_descriptor, EPOLL_CTL_ADD, ticks, &event) != 0) fail("epoll_ctl");
    }
    begin_requests(&arguments);

    if (arguments.mode == MODE_WAITING) {
        // After a second in which nothing happens, all are connected, have sent their head, and wait.
        while (turn(&arguments, 1000) > 0) {}
        return print_waiting(arguments.concurrency, resident);
    }

    while (counts.finished < arguments.requests) turn(&arguments, -1);
    int status = print_figures(&arguments, wall_seconds() - start_time, cpu_seconds() - cpu);
    for (long i = 0; i < arguments.concurrency; i++) curl_easy_cleanup(slots[i].easy);
    curl_multi_cleanup(multi);
    curl_url_cleanup(url);
    curl_global_cleanup();
    free(sockets);
    close(epoll_descriptor);
    return status;
}
