// Changing a body while it flows: replaces the values of named members of JSON by "***", in requests and responses.
#include "plugboard.h"
#include "plugboard-transform.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// The longest name of a member that can be masked.
#define LONGEST 64u

typedef struct mask_plugin {
    const plug_host_v1 *host;
    uint64_t count;
    char names[100][LONGEST + 1];
} mask_plugin;

enum state { OUTSIDE, STRING, ESCAPE, HEX, BEFORE_VALUE, SKIPPED_STRING, SKIPPED_ESCAPE, SKIPPED_NEST, SKIPPED_WORD };

// The state of one body. Reads each byte once and never grows, wherever pieces end. A string is a member's name if a
// colon follows it, so nesting need not be tracked.
typedef struct mask {
    const mask_plugin *plugin;
    enum state state;
    _Bool is_name;
    unsigned digits, code;
    uint64_t depth;
    uint64_t count;            // of `name`
    char name[LONGEST + 1];    // the string that is being read, with its escapes resolved
} mask;

static _Bool is_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

// Keeps one byte more than the longest name: that is enough to see a difference.
static void add(mask *self, char byte) {
    if (self->count <= LONGEST) self->name[self->count++] = byte;
}

static _Bool is_masked(const mask *self) {
    for (uint64_t index = 0; index < self->plugin->count; index++) {
        const char *name = self->plugin->names[index];
        if (strlen(name) == self->count && memcmp(name, self->name, self->count) == 0) return 1;
    }
    return 0;
}

static unsigned hexadecimal(char byte) {
    if (byte >= '0' && byte <= '9') return (unsigned)(byte - '0');
    if (byte >= 'a' && byte <= 'f') return (unsigned)(byte - 'a') + 10;
    return byte >= 'A' && byte <= 'F' ? (unsigned)(byte - 'A') + 10 : 0;
}

static void read_byte(mask *self, char byte) {
    switch (self->state) {
    case OUTSIDE:
        if (byte == '"') {
            self->state = STRING;
            self->count = 0;
        } else if (byte == ':' && self->is_name) {
            self->state = BEFORE_VALUE;
        } else if (!is_space(byte)) {
            self->is_name = 0;
        }
        break;
    case STRING:
        if (byte == '"') {
            self->state = OUTSIDE;
            self->is_name = is_masked(self);
        } else if (byte == '\\') {
            self->state = ESCAPE;
        } else {
            add(self, byte);
        }
        break;
    case ESCAPE:
        self->state = byte == 'u' ? HEX : STRING;
        self->digits = self->code = 0;
        // Names that are masked hold no \n, \t and the like.
        if (byte != 'u') add(self, byte == '"' || byte == '\\' || byte == '/' ? byte : '\0');
        break;
    case HEX:
        self->code = self->code << 4 | hexadecimal(byte);
        if (++self->digits < 4) break;
        self->state = STRING;
        add(self, self->code < 0x80 ? (char)self->code : '\0');
        break;
    default: break;
    }
}

static void begin_skipping(mask *self, char byte) {
    self->is_name = 0;
    self->depth = byte == '{' || byte == '[';
    self->state = self->depth > 0 ? SKIPPED_NEST : byte == '"' ? SKIPPED_STRING : SKIPPED_WORD;
}

// Whether the byte belongs to a value that is left out.
static _Bool skips(mask *self, char byte) {
    switch (self->state) {
    case SKIPPED_STRING:
        if (byte == '\\') self->state = SKIPPED_ESCAPE;
        if (byte == '"') self->state = self->depth == 0 ? OUTSIDE : SKIPPED_NEST;
        return 1;
    case SKIPPED_ESCAPE:
        self->state = SKIPPED_STRING;
        return 1;
    case SKIPPED_NEST:
        if (byte == '"') self->state = SKIPPED_STRING;
        if (byte == '{' || byte == '[') self->depth++;
        if ((byte == '}' || byte == ']') && --self->depth == 0) self->state = OUTSIDE;
        return 1;
    case SKIPPED_WORD:
        if (byte != ',' && byte != '}' && byte != ']') return 1;
        self->state = OUTSIDE;
        return 0;
    default: return 0;
    }
}

static plug_result transform(void *context, plug_text bytes, plug_output *output) {
    mask *self = context;
    uint64_t first = 0;   // the first byte that is not written yet
    plug_result result = PLUG_OK;
    for (uint64_t index = 0; index < bytes.count && result == PLUG_OK; index++) {
        char byte = bytes.bytes[index];
        if (skips(self, byte)) {
            first = index + 1;
        } else if (self->state == BEFORE_VALUE && !is_space(byte)) {
            plug_write(output, bytes.bytes + first, index - first);
            result = plug_write(output, "\"***\"", 5);
            begin_skipping(self, byte);
            first = index + 1;
        } else {
            read_byte(self, byte);
        }
    }
    return result == PLUG_OK ? plug_write(output, bytes.bytes + first, bytes.count - first) : result;
}

static plug_result finish(void *context, plug_output *output) {
    mask *self = context;
    if (self->state == OUTSIDE) return PLUG_OK;
    return plug_refuse(output, PLUG_TEXT("com.example.mask.cut"),
        PLUG_TEXT("The JSON ended within a string or a member."));
}

static void reset(void *context) {
    mask *self = context;
    *self = (mask){ .plugin = self->plugin };
}

// NULL if there is no memory.
static plug_transformer_v1 *make(const mask_plugin *plugin, plug_transformer_v1 *transformer) {
    mask *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    self->plugin = plugin;
    *transformer = (plug_transformer_v1){
        .context = self, .transform = transform, .finish = finish, .reset = reset, .release = free,
    };
    return transformer;
}

static _Bool is_json(const plug_host_v1 *host, const plug_head *head) {
    plug_text type = host->field(head, PLUG_TEXT("content-type"));
    uint64_t count = 0;
    while (count < type.count && type.bytes[count] != ';' && type.bytes[count] != ' ') count++;
    if (count == 16 && strncasecmp(type.bytes, "application/json", 16) == 0) return 1;
    return count > 5 && strncasecmp(type.bytes + count - 5, "+json", 5) == 0;
}

static plug_verdict on_request(void *context, plug_exchange *exchange) {
    mask_plugin *self = context;
    const plug_host_v1 *host = self->host;
    if (!is_json(host, host->request(exchange))) return PLUG_VERDICT_NEXT;
    plug_transformer_v1 transformer;
    if (make(self, &transformer) == NULL) return host->fault(exchange, PLUG_TEXT("there is no memory for a body"));
    plug_transform_request_body(host, exchange, &transformer);
    return PLUG_VERDICT_NEXT;
}

static plug_verdict on_response(void *context, plug_exchange *exchange) {
    mask_plugin *self = context;
    const plug_host_v1 *host = self->host;
    plug_head *response = host->response(exchange);
    if (!is_json(host, response)) return PLUG_VERDICT_NEXT;
    // Compressed bytes cannot be masked.
    if (host->field(response, PLUG_TEXT("content-encoding")).bytes != NULL) {
        return host->fail(exchange, PLUG_TEXT("com.example.mask.encoded"),
            PLUG_TEXT("The response's JSON is compressed. Enable the plugin decode."));
    }
    plug_transformer_v1 transformer;
    if (make(self, &transformer) == NULL) return host->fault(exchange, PLUG_TEXT("there is no memory for a body"));
    plug_transform_response_body(host, exchange, &transformer);
    return PLUG_VERDICT_NEXT;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    mask_plugin *self = calloc(1, sizeof *self);
    plug_field item;
    if (self != NULL) self->host = host;
    for (uint64_t index = 0; self != NULL; index++) {
        if (host->setting_item(settings, PLUG_TEXT("names"), index, &item) != PLUG_OK) return self;
        if (item.value.count > LONGEST) break;
        memcpy(self->names[self->count++], item.value.bytes, item.value.count);
    }
    host->refuse(host, PLUG_TEXT("A name of the setting names has more than 64 bytes, or there is no memory."));
    free(self);
    return NULL;
}

static const plug_option_v1 settings[] = {{
    .name = PLUG_LITERAL("names"), .type = PLUG_TYPE_LIST, .fallback = PLUG_LITERAL("[\"password\"]"), .minimum = 1,
    .maximum = 100, .documentation = PLUG_LITERAL("The members whose values are masked, in ASCII."),
}};

PLUGBOARD_METADATA(mask, "com.example.mask", "1.0.0");
PLUGBOARD_PLUGIN(mask) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.mask"), .version = PLUG_LITERAL("1.0.0"),
    .documentation = PLUG_LITERAL("Masks the values of named members of JSON."), .priority = 330,
    .hooks = PLUG_ON_REQUEST | PLUG_ON_RESPONSE,
    .settings = settings, .setting_count = sizeof settings / sizeof *settings,
    .create = create, .destroy = free, .on_request = on_request, .on_response = on_response,
};
