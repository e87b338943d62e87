// Sends a request through the built plugin, and checks what a server receives.
//
//     test/run PLUGBOARD CONFIGURATION
//
// This program is the server, for one request; the command `plugboard` is the client.
#define _POSIX_C_SOURCE 200809L

#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char expected[] = "\r\nx-@name@: hello\r\n";

static int fail(const char *what) {
    fprintf(stderr, "failed: %s\n", what);
    return EXIT_FAILURE;
}

// The head of the request, or an empty text.
static void respond(int client, char *head, size_t room) {
    size_t count = 0;
    head[0] = '\0';
    while (strstr(head, "\r\n\r\n") == NULL && count < room - 1) {
        ssize_t got = read(client, head + count, room - 1 - count);
        if (got <= 0) break;
        count += (size_t)got;
        head[count] = '\0';
    }
    static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nok\n";
    if (write(client, reply, sizeof reply - 1) < 0) head[0] = '\0';
}

int main(int count, char **arguments) {
    if (count != 3) return fail("usage: test/run PLUGBOARD CONFIGURATION");
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), end[2];
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0
        || getsockname(listener, (struct sockaddr *)&address, &size) != 0 || pipe(end) != 0) {
        return fail("no socket on 127.0.0.1");
    }
    char url[40];
    snprintf(url, sizeof url, "http://127.0.0.1:%d/", ntohs(address.sin_port));

    pid_t child = fork();
    if (child == 0) {
        // The child keeps `end[1]` open; that it closes shows that the child has ended.
        close(listener);
        close(end[0]);
        execlp(arguments[1], arguments[1], "get", url, "--config", arguments[2], (char *)NULL);
        perror(arguments[1]);
        _exit(127);
    }
    close(end[1]);
    char head[16384] = "";
    struct pollfd waiting[] = {{.fd = listener, .events = POLLIN}, {.fd = end[0], .events = POLLIN}};
    if (child > 0 && poll(waiting, 2, 30000) > 0 && waiting[0].revents != 0) {
        int client = accept(listener, NULL, NULL);
        if (client >= 0) {
            respond(client, head, sizeof head);
            close(client);
        }
    }
    close(listener);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return fail("the command did not succeed; if it is not on the PATH, make test PLUGBOARD=/path/to/plugboard");
    }
    if (strstr(head, expected) == NULL) return fail("the request has no field x-@name@ that says hello");
    puts("passed: the request got its field");
    return EXIT_SUCCESS;
}
