// What the two clients share: arguments, counters, the figures they print. They differ in one file each, and in
// nothing but how they drive libcurl's multi interface.
#pragma once

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef enum { MODE_REQUESTS, MODE_DOWNLOAD, MODE_WAITING } client_mode;

typedef struct {
    client_mode mode;
    const char *url;
    long requests;     // how many exchanges in all
    long concurrency;  // how many of them at once
    long rate;         // requests a second, each at its planned time; 0 for as many as possible
    long length;       // the bytes that each body must have; negative for any number
    const char *ca;    // a file with the only certificates that are trusted
    bool multiplexes;  // whether all requests share one connection of HTTP/2
} client_arguments;

// A handle, and the request that it carries.
typedef struct {
    CURL *easy;
    long number;  // of the request, from 0
    long bytes;   // of its body
} client_slot;

// What the callbacks count. One thread, so plain integers.
typedef struct {
    uint64_t body_bytes;
    uint64_t header_lines;
    long finished;
    long failed;
    long connects;
} client_counts;

static client_counts counts;

// The requests of the clients: which are begun, and which handles have none.
static client_slot *slots;
static client_slot **idle;
static long idle_count;
static long started;
static double start_time;   // of the measurement, in monotonic seconds
static double *latencies;   // by the request's number, in seconds, if requests have planned times

static inline void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static inline void check(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static inline long count_argument(const char *text) {
    char *end;
    errno = 0;
    long value = strtol(text ? text : "", &end, 10);
    if (errno || !text || end == text || *end || value < 1 || value > 100000000) {
        fprintf(stderr, "not a count: %s\n", text ? text : "(nothing)");
        exit(2);
    }
    return value;
}

static inline client_arguments parse_arguments(int count, char **values) {
    client_arguments arguments = {.mode = MODE_REQUESTS, .requests = 10000, .concurrency = 64, .length = -1};
    for (int i = 1; i < count; i++) {
        const char *next = i + 1 < count ? values[i + 1] : NULL;
        if (strcmp(values[i], "--requests") == 0) {
            arguments.requests = count_argument(next);
            i++;
        } else if (strcmp(values[i], "--concurrency") == 0) {
            arguments.concurrency = count_argument(next);
            i++;
        } else if (strcmp(values[i], "--rate") == 0) {
            arguments.rate = count_argument(next);
            i++;
        } else if (strcmp(values[i], "--length") == 0) {
            arguments.length = count_argument(next);
            i++;
        } else if (strcmp(values[i], "--ca") == 0 && next) {
            arguments.ca = next;
            i++;
        } else if (strcmp(values[i], "--http2") == 0) {
            arguments.multiplexes = true;
        } else if (strcmp(values[i], "--waiting") == 0) {
            arguments.mode = MODE_WAITING;
            arguments.requests = arguments.concurrency = count_argument(next);
            i++;
        } else if (strcmp(values[i], "--download") == 0) {
            arguments.mode = MODE_DOWNLOAD;
            arguments.requests = arguments.concurrency = 1;
        } else if (values[i][0] != '-' && !arguments.url) {
            arguments.url = values[i];
        } else {
            arguments.url = NULL;
            break;
        }
    }
    if (!arguments.url) {
        fprintf(stderr,
                "usage: %s URL [--requests N] [--concurrency C] [--rate R] [--length L] [--ca FILE] [--http2]"
                " | --download | --waiting N\n",
                values[0]);
        exit(2);
    }
    if (arguments.concurrency > arguments.requests) arguments.concurrency = arguments.requests;
    return arguments;
}

static size_t count_body(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)size;
    counts.body_bytes += count;
    ((client_slot *)context)->bytes += (long)count;
    return count;
}

static size_t count_header(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)size, (void)context;
    counts.header_lines++;
    return count;
}

// The options that both clients set, the URL and what concerns signals left to each.
static inline void set_options(client_slot *slot, const client_arguments *arguments) {
    CURL *easy = slot->easy;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, slot);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, slot);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_body);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, count_header);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "plugboard-performance");
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, arguments->mode == MODE_REQUESTS ? 30000L : 600000L);
    if (arguments->mode == MODE_DOWNLOAD) curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 512L * 1024);
    if (arguments->ca) curl_easy_setopt(easy, CURLOPT_CAINFO, arguments->ca);
    if (arguments->multiplexes) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
}

// The planned time of a request, after the start: a whole number of milliseconds.
static inline double planned_seconds(const client_arguments *arguments, long number) {
    return (double)(number * 1000 / arguments->rate) / 1e3;
}

static inline double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// The slot of an exchange that has ended, which is counted here. Anything but a complete 200 is a failure, and a
// failure spoils the figures.
static inline client_slot *count_finished(const client_arguments *arguments, CURL *easy, CURLcode result) {
    client_slot *slot = NULL;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&slot);
    if (latencies) {
        latencies[slot->number] = wall_seconds() - start_time - planned_seconds(arguments, slot->number);
    }
    long status = 0, connects = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connects);
    counts.connects += connects;
    counts.finished++;
    if (result != CURLE_OK || status != 200 || (arguments->length >= 0 && slot->bytes != arguments->length)) {
        if (counts.failed++ == 0) {
            fprintf(stderr, "failed: %s, status %ld, %ld bytes\n", curl_easy_strerror(result), status, slot->bytes);
        }
    }
    return slot;
}

// The number of requests that are to be begun by now.
static inline long due_requests(const client_arguments *arguments) {
    if (arguments->rate == 0) return arguments->requests;
    // All with a planned time up to this millisecond.
    long tick = (long)((wall_seconds() - start_time) * 1e3);
    long due = ((tick + 1) * arguments->rate + 999) / 1000;
    return due < arguments->requests ? due : arguments->requests;
}

static void begin(client_slot *slot, const client_arguments *arguments);

// Begins the requests that are due, as far as there are handles for them.
static inline void begin_requests(const client_arguments *arguments) {
    if (idle_count == 0 || started == arguments->requests) return;
    long due = due_requests(arguments);
    while (idle_count > 0 && started < due) {
        client_slot *slot = idle[--idle_count];
        slot->number = started++;
        slot->bytes = 0;
        begin(slot, arguments);
    }
}

static inline void make_slots(const client_arguments *arguments) {
    slots = calloc((size_t)arguments->concurrency, sizeof *slots);
    idle = calloc((size_t)arguments->concurrency, sizeof *idle);
    if (arguments->rate) latencies = calloc((size_t)arguments->requests, sizeof *latencies);
    check(slots && idle && (latencies || !arguments->rate), "out of memory");
}

static inline void add_idle(client_slot *slot) { idle[idle_count++] = slot; }

// A descriptor that is readable at every millisecond; -1 if requests have no planned times.
static inline int tick_descriptor(const client_arguments *arguments) {
    if (arguments->rate == 0) return -1;
    int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (descriptor < 0) fail("timerfd_create");
    // At the milliseconds after the start.
    double first = start_time + 1e-3;
    struct itimerspec time = {
        .it_value = {.tv_sec = (time_t)first, .tv_nsec = (long)((first - (double)(time_t)first) * 1e9)},
        .it_interval = {.tv_nsec = 1000000},
    };
    if (timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &time, NULL) != 0) fail("timerfd_settime");
    return descriptor;
}

static inline void read_ticks(int descriptor) {
    uint64_t expirations;
    if (read(descriptor, &expirations, sizeof expirations) < 0 && errno != EAGAIN) fail("read");
}

static inline double cpu_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// Many connections need many descriptors: takes all that the system allows.
static inline void raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit");
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) fail("setrlimit");
}

static inline long resident_bytes(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) fail("/proc/self/statm");
    long pages = 0, resident = 0;
    if (fscanf(file, "%ld %ld", &pages, &resident) != 2) fail("/proc/self/statm");
    fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

// Prints the one line of figures of the waiting mode, and returns the exit status. `resident` is what there was before.
static inline int print_waiting(long count, long resident) {
    long waiting = 0;
    for (long i = 0; i < count; i++) {
        long sent = 0;
        curl_easy_getinfo(slots[i].easy, CURLINFO_REQUEST_SIZE, &sent);
        if (sent > 0) waiting++;
    }
    printf("%ld bytes resident per waiting exchange, %ld of %ld wait\n", (resident_bytes() - resident) / count,
           waiting - counts.finished, count);
    return waiting == count && counts.finished == 0 ? 0 : 1;
}

static int compare_latencies(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static inline double latency_microseconds(long count, double part) {
    return latencies[(long)((double)(count - 1) * part)] * 1e6;
}

// Prints the one line of figures of the other modes, and returns the exit status.
static inline int print_figures(const client_arguments *arguments, double wall, double cpu) {
    if (arguments->mode == MODE_DOWNLOAD) {
        printf("%.2f GB/s, %.3f CPU s/GB, %.3f s elapsed, %llu bytes\n", (double)counts.body_bytes / wall / 1e9,
               cpu / ((double)counts.body_bytes / 1e9), wall, (unsigned long long)counts.body_bytes);
    } else {
        printf("%.0f requests/s, %.2f CPU us/request, %.3f s elapsed, %ld connections, %ld failed",
               (double)counts.finished / wall, cpu * 1e6 / (double)counts.finished, wall, counts.connects,
               counts.failed);
        if (latencies) {
            qsort(latencies, (size_t)counts.finished, sizeof *latencies, compare_latencies);
            printf(", p50 %.0f us, p99 %.0f us, p99.9 %.0f us", latency_microseconds(counts.finished, 0.5),
                   latency_microseconds(counts.finished, 0.99), latency_microseconds(counts.finished, 0.999));
        }
        printf("\n");
    }
    return counts.failed ? 1 : 0;
}
