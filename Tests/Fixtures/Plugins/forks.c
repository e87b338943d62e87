// In its hook, ends a child process in an orderly way, and then its own process in the other.
#include <plugboard.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int self;
static void *create(const plug_host_v1 *host, const plug_settings *settings) { return &self; }
static void destroy(void *instance) {}

static plug_verdict on_request(void *instance, plug_exchange *exchange) {
    pid_t child = fork();
    if (child == 0) exit(0);
    int status = 0;
    // Another end means that the child did not run: then the test would show nothing.
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) _exit(1);
    abort();
}

PLUGBOARD_METADATA(forks, "com.example.forks", "1.0.0");
PLUGBOARD_PLUGIN(forks) {
    .abi_revision = PLUG_ABI_REVISION,
    .id = PLUG_LITERAL("com.example.forks"),
    .version = PLUG_LITERAL("1.0.0"),
    .priority = 500,
    .hooks = PLUG_ON_REQUEST,
    .create = create,
    .destroy = destroy,
    .on_request = on_request,
};
