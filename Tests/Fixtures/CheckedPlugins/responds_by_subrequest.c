// Responds to each request with the response of a sub-request for the same URL, head and body. Keeps all rules.
#include <plugboard.h>
#include <stdlib.h>

// One exchange's sub-request. The exchange's state and `completed` each hold it, both on the loop.
typedef struct job {
    const plug_host_v1 *host;
    plug_ticket ticket;
    plug_body *body;
    uint32_t status;
    int holders, has_completed;
} job;

static void *create(const plug_host_v1 *host, const plug_settings *settings) { return (void *)host; }

static void drop(void *context) {
    job *mine = context;
    if (--mine->holders > 0) return;
    if (mine->body) mine->host->body_release(mine->body);
    free(mine);
}

static void completed(void *context, plug_subresponse *subresponse) {
    job *mine = context;
    plug_head *head = mine->host->subresponse_head(subresponse);
    mine->has_completed = 1;
    if (head) {
        mine->status = mine->host->status(head);
        mine->body = mine->host->subresponse_take_body(subresponse);
    }
    mine->host->wake(mine->host, mine->ticket);
    drop(mine);
}

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    const plug_host_v1 *host = self;
    job *mine = host->exchange_state(exchange);
    if (mine) {
        if (!mine->has_completed) return host->wait(exchange, -1, &mine->ticket);
        if (!mine->status) return host->fail(exchange, PLUG_TEXT("com.example.failed"), PLUG_TEXT("No response came."));
        plug_body *body = mine->body;
        mine->body = NULL;
        return host->respond(exchange, mine->status, NULL, 0, body);
    }
    mine = calloc(1, sizeof *mine);
    if (!mine) return host->fail(exchange, PLUG_TEXT("com.example.memory"), PLUG_TEXT("There is no memory."));
    mine->host = host;
    mine->holders = 2;
    host->set_exchange_state(exchange, mine, drop);
    plug_verdict verdict = host->wait(exchange, -1, &mine->ticket);
    plug_subrequest_v1 request = { .method = PLUG_TEXT("GET"), .url = host->url(host->request(exchange)) };
    if (host->send_subrequest(host, host->exchange_id(exchange), &request, mine, completed) != PLUG_OK) {
        mine->has_completed = 1;
        drop(mine);
        host->wake(host, mine->ticket);
    }
    return verdict;
}

PLUGBOARD_METADATA(responds_by_subrequest, "com.example.responds-by-subrequest", "1.0.0");
PLUGBOARD_PLUGIN(responds_by_subrequest) {
    .abi_revision = PLUG_ABI_REVISION,
    .hooks = PLUG_ON_REQUEST,
    .id = PLUG_LITERAL("com.example.responds-by-subrequest"),
    .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Responds with the response of a sub-request."),
    .priority = 500,
    .create = create,
    .on_request = on_request,
};
