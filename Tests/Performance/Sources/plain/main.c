// libcurl's multi interface as its manual shows it and a typical program uses it: a timerfd for its timer, epoll_ctl
// whenever it asks, each easy handle reset and set up anew for each request.
//
//     cc -O2 -o plain Sources/plain/main.c -lcurl
#include "../client.h"

#include <sys/epoll.h>

static int epoll_descriptor;
static int timer_descriptor;
static int ticks;
static CURLM *multi;

static int on_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    (void)easy, (void)context;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(epoll_descriptor, EPOLL_CTL_DEL, socket, NULL);
        curl_multi_assign(multi, socket, NULL);
        return 0;
    }
    struct epoll_event event = {.data.fd = socket};
    if (what & CURL_POLL_IN) event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT) event.events |= EPOLLOUT;
    if (epoll_ctl(epoll_descriptor, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event) != 0) fail("epoll_ctl");
    if (!known) curl_multi_assign(multi, socket, &multi);
    return 0;
}

static int on_timer(CURLM *handle, long milliseconds, void *context) {
    (void)handle, (void)context;
    struct itimerspec time = {0};
    if (milliseconds > 0) {
        time.it_value.tv_sec = milliseconds / 1000;
        time.it_value.tv_nsec = milliseconds % 1000 * 1000000;
    } else if (milliseconds == 0) {
        time.it_value.tv_nsec = 1;  // zero would disarm it
    }
    if (timerfd_settime(timer_descriptor, 0, &time, NULL) != 0) fail("timerfd_settime");
    return 0;
}

static void begin(client_slot *slot, const client_arguments *arguments) {
    curl_easy_reset(slot->easy);
    set_options(slot, arguments);
    curl_easy_setopt(slot->easy, CURLOPT_URL, arguments->url);
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

// Waits, at most so many milliseconds, and acts on what happened; returns how many events there were.
static int turn(const client_arguments *arguments, int timeout) {
    struct epoll_event events[256];
    int running;
    int count = epoll_wait(epoll_descriptor, events, 256, timeout);
    if (count < 0 && errno != EINTR) fail("epoll_wait");
    for (int i = 0; i < count; i++) {
        if (events[i].data.fd == timer_descriptor) {
            uint64_t expirations;
            if (read(timer_descriptor, &expirations, sizeof expirations) < 0 && errno != EAGAIN) fail("read");
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
        } else if (events[i].data.fd == ticks) {
            read_ticks(ticks);
            begin_requests(arguments);
        } else {
            int mask = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0)
                | (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
                | (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
            curl_multi_socket_action(multi, events[i].data.fd, mask, &running);
        }
    }
    finish_exchanges(arguments);
    return count;
}

int main(int count, char **values) {
    client_arguments arguments = parse_arguments(count, values);
    raise_descriptor_limit();
    check(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "curl_global_init");
    epoll_descriptor = epoll_create1(EPOLL_CLOEXEC);
    timer_descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (epoll_descriptor < 0 || timer_descriptor < 0) fail("epoll_create1");
    struct epoll_event event = {.events = EPOLLIN, .data.fd = timer_descriptor};
    if (epoll_ctl(epoll_descriptor, EPOLL_CTL_ADD, timer_descriptor, &event) != 0) fail("epoll_ctl");

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
        check((slots[i].easy = curl_easy_init()) != NULL, "curl_easy_init");
        add_idle(&slots[i]);
    }
    if ((ticks = tick_descriptor(&arguments)) >= 0) {
        event.data.fd = ticks;
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
    curl_global_cleanup();
    close(timer_descriptor);
    close(epoll_descriptor);
    return status;
}
