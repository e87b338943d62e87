// Raw libcurl to a file, as its examples do it: URL FILE [--sync]. Prints the seconds.
#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int descriptor;

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    (void)context;
    size_t left = size * count;
    while (left > 0) {
        ssize_t written = write(descriptor, bytes, left);
        if (written <= 0) return 0;
        bytes += written;
        left -= (size_t)written;
    }
    return size * count;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    descriptor = open(words[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (descriptor < 0) return 1;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, words[1]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
    if (curl_easy_perform(easy) != CURLE_OK) return 1;
    if (count > 3 && strcmp(words[3], "--sync") == 0) fsync(descriptor);
    close(descriptor);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.3f\n", (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9);
    curl_easy_cleanup(easy);
    return 0;
}
