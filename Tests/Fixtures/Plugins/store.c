// The part of plugboard.store/1 that the plugin limit uses, in memory that all kernels of the process share.
#include "plugboard-store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1000

typedef struct entry {
    char key[PLUG_STORE_KEY_LIMIT];
    char value[32];
    uint64_t count;
    uint64_t value_count;
    int64_t end;
} entry;

// Shared by all kernels; under the lock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry entries[MOST];

typedef struct store {
    const plug_host_v1 *host;
    plug_store_v1 table;
} store;

typedef struct answer {
    plug_store_call_v1 call;
    plug_store_reply_v1 reply;
    plug_store_value_v1 values[MOST];
} answer;

static void respond(void *context) {
    answer *self = context;
    self->call.done(self->call.context, &self->reply);
    free(self);
}

// Responds soon, because no reply comes within the call.
static void finish(const store *self, answer *answer) {
    if (self->host->start_timer(self->host, 0, 0, answer, respond) == 0) respond(answer);
}

static answer *begin(const plug_store_call_v1 *call, plug_store_result result) {
    answer *self = calloc(1, sizeof *self);
    if (self == NULL) abort();
    self->call = *call;
    self->reply.result = result;
    if (result != PLUG_STORE_DONE) self->reply.reason = PLUG_TEXT("it is not done");
    return self;
}

// The entry of a key that lives, or else NULL and one that is free.
static entry *find(plug_text key, int64_t now, entry **unused) {
    for (entry *each = entries; each < entries + MOST; each++) {
        if (each->end <= now) *unused = each;
        else if (each->count == key.count && memcmp(each->key, key.bytes, key.count) == 0) return each;
    }
    return NULL;
}

static void get(void *context, const plug_store_call_v1 *call, plug_store_watch watch, const plug_text *keys,
    uint64_t count) {
    const store *self = context;
    entry *unused = NULL;
    answer *answer = begin(call, count > MOST ? PLUG_STORE_INVALID : PLUG_STORE_DONE);
    pthread_mutex_lock(&lock);
    for (uint64_t i = 0; count <= MOST && i < count; i++) {
        answer->values[i].is_found = find(keys[i], self->host->now(self->host), &unused) != NULL;
        answer->values[i].bytes = PLUG_TEXT("1");
    }
    pthread_mutex_unlock(&lock);
    answer->reply.values = answer->values;
    answer->reply.value_count = count <= MOST ? count : 0;
    finish(self, answer);
}

static void compare_and_set(void *context, const plug_store_call_v1 *call, const plug_text *expected,
    const plug_store_entry_v1 *wanted) {
    const store *self = context;
    int64_t now = self->host->now(self->host);
    pthread_mutex_lock(&lock);
    entry *unused = NULL, *entry = find(wanted->key, now, &unused);
    int is_expected = expected == NULL ? entry == NULL
        : entry != NULL && entry->value_count == expected->count
            && memcmp(entry->value, expected->bytes, expected->count) == 0;
    if (entry == NULL) entry = unused;
    if (entry == NULL || wanted->value.count > sizeof entry->value) is_expected = 0;
    if (is_expected) {
        memcpy(entry->key, wanted->key.bytes, wanted->key.count);
        memcpy(entry->value, wanted->value.bytes, wanted->value.count);
        entry->count = wanted->key.count;
        entry->value_count = wanted->value.count;
        entry->end = now + wanted->time_to_live;
    }
    pthread_mutex_unlock(&lock);
    finish(self, begin(call, is_expected ? PLUG_STORE_DONE : PLUG_STORE_REFUSED));
}

static const void *service(void *context, plug_text id) {
    store *self = context;
    return &self->table;
}

static void *create(const plug_host_v1 *host, const plug_settings *settings) {
    store *self = calloc(1, sizeof *self);
    if (self == NULL) return host->refuse(host, PLUG_TEXT("there is no memory for it")), NULL;
    self->host = host;
    self->table = (plug_store_v1){
        .context = self, .engine = PLUG_TEXT("fixture"), .get = get, .compare_and_set = compare_and_set,
    };
    return self;
}

static const plug_text provides[] = { PLUG_LITERAL(PLUG_STORE_1) };

PLUGBOARD_METADATA(store, "com.example.store", "1.0.0");
PLUGBOARD_PLUGIN(store) {
    .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.store"), .version = PLUG_LITERAL("1.0.0"),
    .priority = 0, .provides = provides, .provide_count = 1, .create = create, .service = service, .destroy = free,
};
