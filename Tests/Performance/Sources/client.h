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
#include <time.h>
#include <unistd.h>

typedef enum { MODE_REQUESTS, MODE_DOWNLOAD, MODE_WAITING } client_mode;

typedef struct {
    client_mode mode;
    const char *url;
    long requests;     // how many exchanges in all
    long concurrency;  // how many of them at once
} client_arguments;

// What the callbacks count. One thread, so plain integers.
typedef struct {
    uint64_t body_bytes;
    uint64_t header_lines;
    long finished;
    long failed;
    long connects;
} client_counts;

static client_counts counts;

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
    client_arguments arguments = {.mode = MODE_REQUESTS, .requests = 10000, .concurrency = 64};
    for (int i = 1; i < count; i++) {
        const char *next = i + 1 < count ? values[i + 1] : NULL;
        if (strcmp(values[i], "--requests") == 0) {
            arguments.requests = count_argument(next);
            i++;
        } else if (strcmp(values[i], "--concurrency") == 0) {
            arguments.concurrency = count_argument(next);
            i++;
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
        fprintf(stderr, "usage: %s URL [--requests N] [--concurrency C] | --download | --waiting N\n", values[0]);
        exit(2);
    }
    if (arguments.concurrency > arguments.requests) arguments.concurrency = arguments.requests;
    return arguments;
}

static size_t count_body(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)size, (void)context;
    counts.body_bytes += count;
    return count;
}

static size_t count_header(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes, (void)size, (void)context;
    counts.header_lines++;
    return count;
}

// The options that both clients set, the URL and what concerns signals left to each.
static inline void set_options(CURL *easy, const client_arguments *arguments) {
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_body);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, count_header);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "plugboard-performance");
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, arguments->mode == MODE_REQUESTS ? 30000L : 600000L);
    if (arguments->mode == MODE_DOWNLOAD) curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 512L * 1024);
}

// Counts one exchange that has ended. Anything but a complete 200 is a failure, and a failure spoils the figures.
static inline void count_finished(CURL *easy, CURLcode result) {
    long status = 0, connects = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connects);
    counts.connects += connects;
    counts.finished++;
    if (result != CURLE_OK || status != 200) {
        if (counts.failed++ == 0) fprintf(stderr, "failed: %s, status %ld\n", curl_easy_strerror(result), status);
    }
}

static inline double wall_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
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
static inline int print_waiting(CURL **handles, long count, long resident) {
    long waiting = 0;
    for (long i = 0; i < count; i++) {
        long sent = 0;
        curl_easy_getinfo(handles[i], CURLINFO_REQUEST_SIZE, &sent);
        if (sent > 0) waiting++;
    }
    printf("%ld bytes resident per waiting exchange, %ld of %ld wait\n", (resident_bytes() - resident) / count,
           waiting - counts.finished, count);
    return waiting == count && counts.finished == 0 ? 0 : 1;
}

// Prints the one line of figures of the other modes, and returns the exit status.
static inline int print_figures(const client_arguments *arguments, double wall, double cpu) {
    if (arguments->mode == MODE_DOWNLOAD) {
        printf("%.2f GB/s, %.3f CPU s/GB, %.3f s elapsed, %llu bytes\n", (double)counts.body_bytes / wall / 1e9,
               cpu / ((double)counts.body_bytes / 1e9), wall, (unsigned long long)counts.body_bytes);
    } else {
        printf("%.0f requests/s, %.2f CPU us/request, %.3f s elapsed, %ld connections, %ld failed\n",
               (double)counts.finished / wall, cpu * 1e6 / (double)counts.finished, wall, counts.connects,
               counts.failed);
    }
    return counts.failed ? 1 : 0;
}
