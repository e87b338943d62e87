// Keeping pieces of a body, and work that blocks: writes a copy of each response's body to a file in the plugin's
// folder, EXCHANGE-ATTEMPT. The bytes are not copied: the reader and the file share each piece. The next piece is asked
// for when this one is written, so that a slow disk does not fill the memory. A body that is read in part has a file
// with that part.
#include "plugboard.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tee {
    const plug_host_v1 *host;
    plug_text folder;
} tee;

// One body and its file. It lives as long as its source, and as long as a piece is being written.
typedef struct copy {
    tee *plugin;
    plug_body *inner;
    plug_pull open;
    plug_bytes kept;   // the piece that is being written
    bool is_writing, is_asked, is_begun, is_broken;
    atomic_int users;
    char path[];
} copy;

static void drop(copy *self) {
    if (atomic_fetch_sub(&self->users, 1) > 1) return;
    self->plugin->host->body_release(self->inner);
    free(self);
}

// On a thread where it may block. The loop reads what is written here only after this has returned.
static void write_piece(void *context) {
    copy *self = context;
    FILE *file = fopen(self->path, self->is_begun ? "ab" : "wb");
    size_t count = file == NULL ? 0 : fwrite(self->kept.bytes, 1, self->kept.count, file);
    bool is_closed = file != NULL && fclose(file) == 0;
    self->is_begun = true;
    self->is_broken = count != self->kept.count || !is_closed;
    const plug_host_v1 *host = self->plugin->host;
    if (self->is_broken) host->log(host, PLUG_LOG_WARNING, PLUG_TEXT("The copy of a body cannot be written."));
}

static void pulled(void *context, const plug_piece_v1 *piece);

// On the loop again.
static void written(void *context) {
    copy *self = context;
    self->kept.release(self->kept.context);
    self->is_writing = false;
    if (self->is_asked) {
        self->is_asked = false;
        self->plugin->host->body_pull(self->inner, self, pulled);
    }
    drop(self);
}

static void pulled(void *context, const plug_piece_v1 *piece) {
    copy *self = context;
    const plug_host_v1 *host = self->plugin->host;
    plug_pull open = self->open;
    if (piece->kind == PLUG_PIECE_BYTES && piece->bytes.count > 0 && !self->is_broken
        && host->piece_keep(host, piece, &self->kept) == PLUG_OK) {
        atomic_fetch_add(&self->users, 1);
        self->is_writing = true;
        if (host->run_blocking(host, 0, self, write_piece, written) != PLUG_OK) {   // the kernel ends
            self->is_broken = true;
            written(self);
        }
    }
    host->pull_forward(host, open, piece);
}

static void pull(void *context, plug_pull pull) {
    copy *self = context;
    self->open = pull;
    self->is_asked = self->is_writing;
    if (!self->is_asked) self->plugin->host->body_pull(self->inner, self, pulled);
}

static void release(void *context) { drop(context); }

static plug_verdict on_response(void *context, plug_exchange *exchange) {
    tee *self = context;
    const plug_host_v1 *host = self->host;
    copy *made = calloc(1, sizeof *made + self->folder.count + 40);
    if (made == NULL) return host->fault(exchange, PLUG_TEXT("there is no memory for a body"));
    plug_body *inner = host->take_response_body(exchange);
    if (inner == NULL) {   // HEAD, 204, 304
        free(made);
        return PLUG_VERDICT_NEXT;
    }
    made->plugin = self;
    made->inner = inner;
    made->users = 1;
    snprintf(made->path, self->folder.count + 40, "%.*s/%llu-%u", (int)self->folder.count, self->folder.bytes,
        (unsigned long long)host->exchange_id(exchange), (unsigned)host->attempt(exchange));
    plug_source_v1 source = {
        .context = made, .length = host->body_length(inner), .pull = pull, .release = release,
    };
    host->set_response_body(exchange, host->body_of_source(host, &source));
    return PLUG_VERDICT_NEXT;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    (void)settings;
    tee *self = calloc(1, sizeof *self);
    if (self == NULL) host->refuse(host, PLUG_TEXT("there is no memory for it"));
    else self->host = host;
    return self;
}

static plug_result start(void *context) {
    tee *self = context;
    self->folder = self->host->data_directory(self->host);
    if (self->folder.bytes != NULL) return PLUG_OK;
    self->host->refuse(self->host, PLUG_TEXT("its folder cannot be made"));
    return PLUG_UNSUPPORTED;
}

PLUGBOARD_METADATA(tee, "com.example.tee", "1.0.0");
PLUGBOARD_PLUGIN(tee) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.tee"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Writes copies of responses to files."), .priority = 60, .hooks = PLUG_ON_RESPONSE,
    .create = create, .start = start, .destroy = free, .on_response = on_response,
};
