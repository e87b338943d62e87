// A small server to try Plugboard against: it redirects, compresses, and tells what it was asked.
//
//     cc -std=c11 -O2 origin.c -lz -o origin
//
// It listens on a free port of 127.0.0.1, prints its URL as its first line, and ends with its standard input. `/`
// redirects to `/hello`; every other path responds with the request's own head as text, in gzip where the request
// allows.
#define _POSIX_C_SOURCE 200809L

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>

enum { REQUEST_LIMIT = 16384, RESPONSE_LIMIT = REQUEST_LIMIT + 1024 };

static void send_all(int client, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t sent = write(client, next, count);
        if (sent <= 0) return;
        next += sent;
        count -= (size_t)sent;
    }
}

static void redirect(int client) {
    const char *response = "HTTP/1.1 302 Found\r\nLocation: /hello\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    send_all(client, response, strlen(response));
}

// Compresses in one go; returns the bytes written, or 0.
static size_t gzip(const char *text, size_t count, unsigned char *out, size_t room) {
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (unsigned char *)text;
    stream.avail_in = (unsigned int)count;
    stream.next_out = out;
    stream.avail_out = (unsigned int)room;
    int result = deflate(&stream, Z_FINISH);
    size_t made = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? made : 0;
}

static int allows_gzip(const char *request) {
    for (const char *line = request; line != NULL; line = strstr(line, "\r\n")) {
        line += line == request ? 0 : 2;
        if (strncasecmp(line, "accept-encoding:", 16) != 0) continue;
        const char *coding = strstr(line, "gzip"), *end = strstr(line, "\r\n");
        return coding != NULL && end != NULL && coding < end;
    }
    return 0;
}

static void echo(int client, const char *request) {
    static unsigned char body[2 * RESPONSE_LIMIT];
    char text[RESPONSE_LIMIT], head[256];
    int length = snprintf(text, sizeof text, "The server was asked:\n%s", request);
    size_t count = allows_gzip(request) ? gzip(text, (size_t)length, body, sizeof body) : 0;
    const char *coding = count > 0 ? "Content-Encoding: gzip\r\n" : "";
    if (count == 0) {
        count = (size_t)length;
        memcpy(body, text, count);
    }
    int head_length = snprintf(
        head, sizeof head,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n%sContent-Length: %zu\r\nConnection: close\r\n\r\n", coding, count);
    send_all(client, head, (size_t)head_length);
    send_all(client, body, count);
}

static void serve(int client) {
    struct timeval patience = {.tv_sec = 5};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    char request[REQUEST_LIMIT];
    size_t count = 0;
    char *end = NULL;
    while (end == NULL && count < sizeof request - 1) {
        ssize_t got = read(client, request + count, sizeof request - 1 - count);
        if (got <= 0) return;
        count += (size_t)got;
        request[count] = '\0';
        end = strstr(request, "\r\n\r\n");
    }
    if (end == NULL) return;
    end[2] = '\0';
    char *path = strchr(request, ' ');
    if (path != NULL && strncmp(path, " / ", 3) == 0) redirect(client);
    else echo(client, request);
    // A connection closed with unread bytes would be reset, and the response lost.
    shutdown(client, SHUT_WR);
    while (read(client, request, sizeof request) > 0) {}
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 16) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        perror("origin");
        return EXIT_FAILURE;
    }
    printf("http://127.0.0.1:%d/\n", ntohs(address.sin_port));
    fflush(stdout);

    struct pollfd waiting[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = listener, .events = POLLIN}};
    char ignored[256];
    while (poll(waiting, 2, -1) > 0) {
        if (waiting[0].revents != 0 && read(STDIN_FILENO, ignored, sizeof ignored) <= 0) return EXIT_SUCCESS;
        if (waiting[1].revents == 0) continue;
        int client = accept(listener, NULL, NULL);
        if (client < 0) continue;
        serve(client);
        close(client);
    }
    return EXIT_FAILURE;
}
