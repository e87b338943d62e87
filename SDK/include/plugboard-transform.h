// plugboard-transform.h: bodies that a plugin changes while they flow, for C11 and C++11. Needs plugboard.h alone.
//
//     static plug_result transform(void *context, plug_text bytes, plug_output *output) {
//         return plug_write(output, bytes.bytes, bytes.count);   // or other bytes, more, fewer or none
//     }
//
//     static plug_verdict on_response(void *context, plug_exchange *exchange) {
//         plug_transformer_v1 transformer = { .context = …, .transform = transform, .release = free };
//         plug_transform_response_body(host, exchange, &transformer);
//         return PLUG_VERDICT_NEXT;
//     }
//
// These are functions of the plugin's own, compiled into it: the kernel knows nothing of them, and every kernel of
// revision 1 runs them. Memory: one piece of the inner body and what was written of it, at any time. A transformer that
// can make a small piece very large (one that decompresses) has to limit that itself, or be a source of its own.

#ifndef PLUGBOARD_TRANSFORM_H
#define PLUGBOARD_TRANSFORM_H

#include <plugboard.h>

#include <stdlib.h>
#include <string.h>

// The output of a call of a transformer so far. See plug_write and plug_refuse.
typedef struct plug_output plug_output;

// One body's transformer. Its functions are called on the loop, never two at a time, and must not block. [loop]
typedef struct plug_transformer_v1 {
    void *context;
    // Gets the next bytes of the body, at least one, and writes their output with plug_write; bytes without output are
    // left out. Returns PLUG_OK, or what plug_write or plug_refuse returned: then the body breaks off. [loop]
    plug_result (*transform)(void *context, plug_text bytes, plug_output *output);
    // The end has come: writes the rest. Returns like `transform`. Not called if the body breaks off. May be NULL.
    // [loop]
    plug_result (*finish)(void *context, plug_output *output);
    // Forgets what came so far: the body begins again. NULL: it cannot begin again, and a request with such a body
    // cannot be resent after it was begun. [loop]
    void (*reset)(void *context);
    // The last call, exactly once, on every path. May be NULL. [loop]
    void (*release)(void *context);
    // 1 if exactly as many bytes come out as go in: then the length and the field Content-Length stay as they are. With
    // 0 the length is unknown and the field is removed.
    uint32_t keeps_length;
    uint32_t reserved;   // 0
} plug_transformer_v1;

// Puts a transformer around the body of the response (in on_response) or of the request (in on_request). Takes the
// transformer over, also where it returns an error; the struct is copied. PLUG_NOT_FOUND if there is no body (as of
// HEAD, 204 and 304), PLUG_TOO_LARGE if there is no memory. [loop]
static inline plug_result plug_transform_response_body(const plug_host_v1 *host, plug_exchange *exchange,
    const plug_transformer_v1 *transformer);
static inline plug_result plug_transform_request_body(const plug_host_v1 *host, plug_exchange *exchange,
    const plug_transformer_v1 *transformer);

// Appends bytes, which are copied, to what the call puts out. PLUG_TOO_LARGE if there is no memory; the body then
// breaks off, whatever the transformer returns. [loop]
static inline plug_result plug_write(plug_output *output, const void *bytes, uint64_t count);

// Says why the body breaks off; what this call has written is dropped. The texts are copied. Never returns PLUG_OK, so
// that it can be returned. [loop]
//     return plug_refuse(output, PLUG_TEXT("com.example.mask.cut"), PLUG_TEXT("The JSON ended too early."));
static inline plug_result plug_refuse(plug_output *output, plug_text code, plug_text reason);

// ------------------------------------------------------------------------------------------ How it is done

struct plug_output {
    char *bytes;
    uint64_t count;
    uint64_t room;
    uint32_t is_refused;   // by the transformer, or because there is no memory
    plug_text code;        // both in the memory of `code`
    plug_text reason;
};

static inline plug_result plug_write(plug_output *output, const void *bytes, uint64_t count) {
    if (output->is_refused) return PLUG_TOO_LARGE;
    if (count == 0) return PLUG_OK;
    if (count > output->room - output->count) {
        uint64_t room = output->room < 512 ? 512 : output->room;
        while (room - output->count < count && room <= SIZE_MAX / 2) room *= 2;
        char *larger = room - output->count < count ? NULL : (char *)realloc(output->bytes, (size_t)room);
        if (larger == NULL) {
            output->is_refused = 1;
            return PLUG_TOO_LARGE;
        }
        output->bytes = larger;
        output->room = room;
    }
    memcpy(output->bytes + output->count, bytes, (size_t)count);
    output->count += count;
    return PLUG_OK;
}

static inline plug_result plug_refuse(plug_output *output, plug_text code, plug_text reason) {
    output->is_refused = 1;
    char *texts = output->code.bytes != NULL ? NULL : (char *)malloc((size_t)(code.count + reason.count + 1));
    if (texts == NULL) return PLUG_BAD_ARGUMENT;
    if (code.count > 0) memcpy(texts, code.bytes, (size_t)code.count);
    if (reason.count > 0) memcpy(texts + code.count, reason.bytes, (size_t)reason.count);
    output->code = plug_make_text(texts, code.count);
    output->reason = plug_make_text(texts + code.count, reason.count);
    return PLUG_BAD_ARGUMENT;
}

// A body with a transformer around it, as a source of the plugin's.
typedef struct plug_transformed {
    const plug_host_v1 *host;
    plug_transformer_v1 transformer;
    plug_body *inner;
    plug_pull open;           // the pull that is to be completed
    plug_output output;       // what it is to be completed with
    uint32_t is_running;      // the loop of plug_transformed_run
    uint32_t is_pulled;       // the pull of the inner body has ended
    uint32_t is_ended;        // the inner body has ended; its end is still to be given
    uint32_t is_broken;       // the inner body has broken off; `output` has the reason
    uint32_t is_released;
    plug_field *trailers;     // copies: one block, names and values behind the fields
    uint64_t trailer_count;
} plug_transformed;

static inline void plug_transformed_forget(plug_transformed *self) {
    free(self->output.bytes);
    free((void *)self->output.code.bytes);
    free(self->trailers);
    memset(&self->output, 0, sizeof self->output);
    self->trailers = NULL;
    self->trailer_count = 0;
    self->is_ended = self->is_broken = 0;
}

// Copies the trailer fields, which are valid only until `pulled` returns.
static inline void plug_transformed_keep_trailers(plug_transformed *self, const plug_head *head) {
    const plug_host_v1 *host = self->host;
    uint64_t count = host->field_count(head), size = 0, used = 0;
    plug_field field;
    for (uint64_t index = 0; index < count; index++) {
        if (host->field_at(head, index, &field) == PLUG_OK) size += field.name.count + field.value.count;
    }
    plug_field *fields = (plug_field *)malloc((size_t)(count * sizeof *fields + size + 1));
    if (fields == NULL) {
        self->output.is_refused = 1;
        return;
    }
    char *texts = (char *)(fields + count);
    for (uint64_t index = 0; index < count && host->field_at(head, index, &field) == PLUG_OK; index++) {
        memcpy(texts + used, field.name.bytes, (size_t)field.name.count);
        fields[index].name = plug_make_text(texts + used, field.name.count);
        used += field.name.count;
        if (field.value.count > 0) memcpy(texts + used, field.value.bytes, (size_t)field.value.count);
        fields[index].value = plug_make_text(texts + used, field.value.count);
        used += field.value.count;
        self->trailer_count = index + 1;
    }
    self->trailers = fields;
}

// Completes the open pull; the kernel may pull again within that, so nothing follows it.
static inline void plug_transformed_complete(plug_transformed *self) {
    const plug_host_v1 *host = self->host;
    plug_output output = self->output;
    if (output.is_refused || self->is_broken) {
        plug_text code = output.code, reason = output.reason;
        if (code.bytes == NULL) {
            code = PLUG_TEXT("plugin.failed");
            reason = PLUG_TEXT("The plugin could not change the body: it gave no reason, or there is no memory.");
        }
        // Copied first: pull_fail may let the body begin again.
        memset(&self->output, 0, sizeof self->output);
        host->pull_fail(host, self->open, code, reason);
        free(output.bytes);
        free((void *)output.code.bytes);
        return;
    }
    if (output.count > 0) {
        memset(&self->output, 0, sizeof self->output);
        plug_bytes bytes = { output.bytes, output.count, free, output.bytes };
        host->pull_give(host, self->open, bytes);
        return;
    }
    plug_field *trailers = self->trailers;
    uint64_t count = self->trailer_count;
    self->trailers = NULL;
    self->trailer_count = 0;
    host->pull_end(host, self->open, trailers, count);
    free(trailers);
}

static inline void plug_transformed_run(plug_transformed *self);

static inline void plug_transformed_pulled(void *context, const plug_piece_v1 *piece) {
    plug_transformed *self = (plug_transformed *)context;
    // The body is given back while a pull is open: this is its break.
    if (self->is_released) return;
    plug_transformer_v1 *transformer = &self->transformer;
    plug_result result = PLUG_OK;
    if (piece->kind == PLUG_PIECE_BROKEN) {
        self->is_broken = 1;
        plug_refuse(&self->output, piece->code, piece->reason);
    } else if (piece->kind == PLUG_PIECE_END) {
        self->is_ended = 1;
        if (piece->trailers != NULL) plug_transformed_keep_trailers(self, piece->trailers);
        if (transformer->finish != NULL) result = transformer->finish(transformer->context, &self->output);
    } else if (piece->bytes.count > 0) {
        result = transformer->transform(transformer->context, piece->bytes, &self->output);
    }
    if (result != PLUG_OK) self->output.is_refused = 1;
    self->is_pulled = 1;
    if (self->is_running) return;
    if (self->output.count > 0 || self->output.is_refused || self->is_ended) {
        plug_transformed_complete(self);
    } else {
        plug_transformed_run(self);
    }
}

// Pulls until there is output for the open pull. A loop and no recursion: pieces that are there at once would nest
// calls.
static inline void plug_transformed_run(plug_transformed *self) {
    self->is_running = 1;
    uint32_t is_ready = 0;
    do {
        self->is_pulled = 0;
        if (self->host->body_pull(self->inner, self, plug_transformed_pulled) != PLUG_OK) {
            self->is_pulled = self->output.is_refused = 1;
        }
        is_ready = self->output.count > 0 || self->output.is_refused || self->is_ended;
    } while (self->is_pulled && !is_ready);
    self->is_running = 0;
    if (self->is_pulled) plug_transformed_complete(self);
}

static inline void plug_transformed_pull(void *context, plug_pull pull) {
    plug_transformed *self = (plug_transformed *)context;
    self->open = pull;
    if (self->is_ended) {
        plug_transformed_complete(self);
    } else {
        plug_transformed_run(self);
    }
}

static inline plug_result plug_transformed_rewind(void *context) {
    plug_transformed *self = (plug_transformed *)context;
    plug_result result = self->host->body_rewind(self->inner);
    if (result != PLUG_OK) return result;
    plug_transformed_forget(self);
    self->transformer.reset(self->transformer.context);
    return PLUG_OK;
}

static inline void plug_transformed_release(void *context) {
    plug_transformed *self = (plug_transformed *)context;
    self->is_released = 1;
    self->host->body_release(self->inner);
    if (self->transformer.release != NULL) self->transformer.release(self->transformer.context);
    plug_transformed_forget(self);
    free(self);
}

// `inner` with the transformer around it, or NULL if there is no memory: then both are given back. [any]
static inline plug_body *plug_transform_body(const plug_host_v1 *host, plug_body *inner,
    const plug_transformer_v1 *transformer) {
    plug_transformed *self = (plug_transformed *)calloc(1, sizeof *self);
    if (self == NULL) {
        host->body_release(inner);
        if (transformer->release != NULL) transformer->release(transformer->context);
        return NULL;
    }
    self->host = host;
    self->transformer = *transformer;
    self->inner = inner;
    plug_source_v1 source;
    memset(&source, 0, sizeof source);
    source.context = self;
    source.length = transformer->keeps_length ? host->body_length(inner) : PLUG_LENGTH_UNKNOWN;
    source.pull = plug_transformed_pull;
    if (transformer->reset != NULL && host->body_can_rewind(inner)) source.rewind = plug_transformed_rewind;
    source.release = plug_transformed_release;
    return host->body_of_source(host, &source);
}

static inline plug_result plug_transform_response_body(const plug_host_v1 *host, plug_exchange *exchange,
    const plug_transformer_v1 *transformer) {
    plug_body *inner = host->take_response_body(exchange);
    if (inner == NULL) {
        if (transformer->release != NULL) transformer->release(transformer->context);
        return PLUG_NOT_FOUND;
    }
    plug_body *body = plug_transform_body(host, inner, transformer);
    plug_result result = host->set_response_body(exchange, body);
    if (!transformer->keeps_length) host->remove_field(host->response(exchange), PLUG_TEXT("content-length"));
    return body == NULL ? PLUG_TOO_LARGE : result;
}

static inline plug_result plug_transform_request_body(const plug_host_v1 *host, plug_exchange *exchange,
    const plug_transformer_v1 *transformer) {
    plug_body *inner = host->take_request_body(exchange);
    if (inner == NULL) {
        if (transformer->release != NULL) transformer->release(transformer->context);
        return PLUG_NOT_FOUND;
    }
    plug_body *body = plug_transform_body(host, inner, transformer);
    plug_result result = host->set_request_body(exchange, body);
    if (!transformer->keeps_length) host->remove_field(host->request(exchange), PLUG_TEXT("content-length"));
    return body == NULL ? PLUG_TOO_LARGE : result;
}

#endif
