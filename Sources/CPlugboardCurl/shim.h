// Functions that Swift does not import: the variadic functions of libcurl, one for each type of value, which return
// libcurl's code; and functions of Linux for sockets and memory.

#ifndef PLUGBOARD_CCURL_SHIM_H
#define PLUGBOARD_CCURL_SHIM_H

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <linux/sockios.h>

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}

// libcurl copies the text, except for CURLOPT_POSTFIELDS.
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *text) {
    return curl_easy_setopt(easy, option, text);
}

// libcurl keeps the pointer.
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *pointer) {
    return curl_easy_setopt(easy, option, pointer);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(easy, option, list);
}

static inline CURLcode ccurl_set_url(CURL *easy, CURLU *url) {
    return curl_easy_setopt(easy, CURLOPT_CURLU, url);
}

// CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION and CURLOPT_READFUNCTION.
typedef size_t (*ccurl_transfer)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_transfer(CURL *easy, CURLoption option, ccurl_transfer function) {
    return curl_easy_setopt(easy, option, function);
}

typedef CURLcode (*ccurl_tls_context)(CURL *easy, void *context, void *data);

static inline CURLcode ccurl_set_tls_context(CURL *easy, ccurl_tls_context function) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function);
}

typedef int (*ccurl_prerequest)(void *context, char *address, char *local_address, int port, int local_port);

static inline CURLcode ccurl_set_prerequest(CURL *easy, ccurl_prerequest function) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

typedef int (*ccurl_resolver_start)(void *resolver, void *reserved, void *context);

static inline CURLcode ccurl_set_resolver_start(CURL *easy, ccurl_resolver_start function) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, function);
}

typedef int (*ccurl_debug)(CURL *easy, curl_infotype kind, char *text, size_t count, void *context);

static inline CURLcode ccurl_set_debug(CURL *easy, ccurl_debug function) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, function);
}

typedef int (*ccurl_trailer)(struct curl_slist **list, void *context);

static inline CURLcode ccurl_set_trailer(CURL *easy, ccurl_trailer function) {
    return curl_easy_setopt(easy, CURLOPT_TRAILERFUNCTION, function);
}

typedef curl_socket_t (*ccurl_open_socket)(void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode ccurl_set_open_socket(CURL *easy, ccurl_open_socket function) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

typedef int (*ccurl_close_socket)(void *context, curl_socket_t socket);

static inline CURLcode ccurl_set_close_socket(CURL *easy, ccurl_close_socket function) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, int64_t *value) {
    curl_off_t offset = 0;
    CURLcode code = curl_easy_getinfo(easy, info, &offset);
    *value = offset;
    return code;
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

// The TLS library's object of the connection that the transfer uses, and which library it is; NULL without TLS.
static inline void *ccurl_tls_session(CURL *easy, int *backend) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
    *backend = session->backend;
    return session->internals;
}

static inline CURLcode ccurl_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *pointer) {
    return curl_multi_setopt(multi, option, pointer);
}

typedef int (*ccurl_socket)(CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context);

static inline CURLMcode ccurl_multi_set_socket(CURLM *multi, ccurl_socket function) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
}

typedef int (*ccurl_timer)(CURLM *multi, long milliseconds, void *context);

static inline CURLMcode ccurl_multi_set_timer(CURLM *multi, ccurl_timer function) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
}

static inline CURLSHcode ccurl_share(CURLSH *share, int data) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}

// Whether the process runs with the address or the thread sanitizer, which cannot check pooled memory.
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

static inline int ccurl_is_sanitized(void) {
    return __asan_init != 0 || __tsan_init != 0;
}

// Small blocks that libcurl has freed on a loop's thread, by size, for its next allocations there.
//
// libcurl allocates and frees fifty blocks for each exchange. The system's allocator keeps only seven blocks of a size
// for a thread without a search, and a turn of the loop handles many exchanges. Before each block is a header that
// tells its class, so that it may be freed on any thread, and with or without this list. Blocks that another part of
// the process got from libcurl before this allocator was installed have no such header, and are given back to the
// system; they are recognized by the size that glibc and musl keep before a block.
#define CCURL_SMALL_CLASSES 64
#define CCURL_CLASSES 96
// The class of blocks that are never kept.
#define CCURL_LARGE CCURL_CLASSES
// The class of blocks that their owner takes back.
#define CCURL_SLOT (CCURL_CLASSES + 1)

struct ccurl_header {
    union {
        size_t room;
        // Of CCURL_SLOT.
        void (*give_back)(void *block);
    };
    // The class, and CCURL_TAG in the bits that are not set in the size that malloc has in this place.
    size_t tagged_class;
};
#define CCURL_TAG ((size_t)0x706C7567 << 32)
_Static_assert(
    sizeof(struct ccurl_header) == 16, "A block after the header needs the alignment of those of malloc.");

struct ccurl_kept {
    size_t bytes;
    void *first[CCURL_CLASSES];
};

// NULL on all threads but those of loops. A static of a function, because Swift emits no others of a header; so one
// source file must make all calls. Its address needs no call in this model, so that no registers are saved for one; a
// shared object with this code that is opened later takes 8 bytes of the static TLS that glibc keeps free for that.
static inline struct ccurl_kept **ccurl_kept_here(void) {
    static __thread __attribute__((tls_model("initial-exec"))) struct ccurl_kept *kept;
    return &kept;
}

static inline struct ccurl_header *ccurl_header_of(void *block) {
    return (struct ccurl_header *)block - 1;
}

// The class of a block; greater than CCURL_SLOT for a block of malloc.
static inline size_t ccurl_class_of(void *block) {
    return ccurl_header_of(block)->tagged_class ^ CCURL_TAG;
}

static inline void ccurl_begin_keeping(void) {
    struct ccurl_kept **kept = ccurl_kept_here();
    if (!*kept) *kept = (struct ccurl_kept *)calloc(1, sizeof(struct ccurl_kept));
}

static inline void ccurl_end_keeping(void) {
    struct ccurl_kept *kept = *ccurl_kept_here();
    *ccurl_kept_here() = NULL;
    if (!kept) return;
    for (int i = 0; i < CCURL_CLASSES; i++) {
        for (void *block = kept->first[i]; block;) {
            void *next = *(void **)block;
            free(ccurl_header_of(block));
            block = next;
        }
    }
    free(kept);
}

// The class whose blocks have room for so many bytes: steps of 16 bytes, and of 512 for large ones.
static inline size_t ccurl_class_for(size_t size) {
    if (size <= 24) return 1;
    if (size <= 16 * CCURL_SMALL_CLASSES + 8) return (size + 7) / 16;
    size_t class_index = CCURL_SMALL_CLASSES + (size - (16 * CCURL_SMALL_CLASSES + 8) + 511) / 512;
    return class_index < CCURL_CLASSES ? class_index : CCURL_LARGE;
}

// The room of each block of a class that is kept.
static inline size_t ccurl_class_room(size_t class_index) {
    return class_index <= CCURL_SMALL_CLASSES
        ? 16 * class_index + 8
        : 16 * CCURL_SMALL_CLASSES + 8 + 512 * (class_index - CCURL_SMALL_CLASSES);
}

// A block in memory that begins with room for the header; NULL for no memory.
static inline void *ccurl_begin_block(void *memory, size_t class_index, size_t room) {
    struct ccurl_header *header = (struct ccurl_header *)memory;
    if (!header) return NULL;
    header->tagged_class = class_index | CCURL_TAG;
    header->room = room;
    return header + 1;
}

static inline void *ccurl_take(size_t size) {
    struct ccurl_kept *kept = *ccurl_kept_here();
    size_t class_index = ccurl_class_for(size);
    if (class_index == CCURL_LARGE) {
        size_t bytes;
        if (__builtin_add_overflow(size, sizeof(struct ccurl_header), &bytes)) return NULL;
        return ccurl_begin_block(malloc(bytes), CCURL_LARGE, size);
    }
    if (kept && kept->first[class_index]) {
        void *block = kept->first[class_index];
        kept->first[class_index] = *(void **)block;
        kept->bytes -= ccurl_header_of(block)->room;
        return block;
    }
    size_t room = ccurl_class_room(class_index);
    return ccurl_begin_block(malloc(sizeof(struct ccurl_header) + room), class_index, room);
}

// Frees a block that is not kept, or gives it back to its owner. A function of its own, so that `ccurl_give` saves no
// registers for it.
static __attribute__((noinline)) void ccurl_free(void *block) {
    size_t class_index = ccurl_class_of(block);
    if (class_index > CCURL_SLOT) return free(block);
    if (class_index == CCURL_SLOT) return ccurl_header_of(block)->give_back(block);
    free(ccurl_header_of(block));
}

// Keeps a block, frees it, or gives it back to its owner. libcurl frees NULL twice as often as a block.
static inline void ccurl_give(void *block) {
    if (!block) return;
    struct ccurl_kept *kept = *ccurl_kept_here();
    size_t class_index = ccurl_class_of(block);
    if (class_index >= CCURL_LARGE || !kept || kept->bytes >= (1 << 20)) return ccurl_free(block);
    *(void **)block = kept->first[class_index];
    kept->first[class_index] = block;
    kept->bytes += ccurl_header_of(block)->room;
}

// Makes a block of memory that its owner takes back.
static inline void *ccurl_begin_slot(void *memory, void (*give_back)(void *block)) {
    struct ccurl_header *header = (struct ccurl_header *)memory;
    header->tagged_class = CCURL_SLOT | CCURL_TAG;
    header->give_back = give_back;
    return header + 1;
}

static inline void *ccurl_take_zeroed(size_t count, size_t size) {
    size_t bytes, all;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    if (ccurl_class_for(bytes) != CCURL_LARGE) {
        void *block = ccurl_take(bytes);
        return block ? memset(block, 0, bytes) : NULL;
    }
    if (__builtin_add_overflow(bytes, sizeof(struct ccurl_header), &all)) return NULL;
    return ccurl_begin_block(calloc(1, all), CCURL_LARGE, bytes);
}

// The block with room for so many bytes, or NULL if it stays as it is for want of memory. Not for CCURL_SLOT.
static inline void *ccurl_resize(void *block, size_t size) {
    if (!block) return ccurl_take(size);
    struct ccurl_header *header = ccurl_header_of(block);
    size_t class_index = ccurl_class_of(block), wanted = ccurl_class_for(size);
    if (class_index > CCURL_SLOT) return realloc(block, size);
    size_t room = header->room, bytes;
    if (size <= room && (room <= 2 * size || class_index == 1)) return block;
    if (class_index == CCURL_LARGE && wanted == CCURL_LARGE) {
        if (__builtin_add_overflow(size, sizeof(struct ccurl_header), &bytes)) return NULL;
        return ccurl_begin_block(realloc(header, bytes), CCURL_LARGE, size);
    }
    void *other = ccurl_take(size);
    if (!other) return NULL;
    memcpy(other, block, size < room ? size : room);
    ccurl_give(block);
    return other;
}

static inline char *ccurl_copy(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = (char *)ccurl_take(size);
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

// The libcurl of this process, which may be newer than the header.
static inline const curl_version_info_data *ccurl_version(void) {
    return curl_version_info(CURLVERSION_NOW);
}

// Lets handles that are verbose log more, in all of the process. Where libcurl is older than 8.3, nothing happens.
static inline void ccurl_trace(const char *what) {
    CURLcode (*trace)(const char *) = (CURLcode (*)(const char *))dlsym(NULL, "curl_global_trace");
    if (trace) trace(what);
}

// The result of a CURLMSG_DONE message.
static inline CURLcode ccurl_result(const CURLMsg *message) {
    return message->data.result;
}

// The bytes in the socket's send buffer, or -1.
static inline int ccurl_unsent(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
}

// The bytes that a TCP socket has received since it was opened; -1 for other sockets.
static inline int64_t ccurl_received(int socket) {
    // The C libraries declare the beginning of Linux's structure only: `tcpi_bytes_received` is the 17th word of 64
    // bits.
    uint64_t info[17];
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &length) != 0 || length < sizeof info) return -1;
    return (int64_t)info[16];
}

#endif
