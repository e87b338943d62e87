// Functions that Swift does not import: the variadic functions of libcurl, one for each type of value, which return
// libcurl's code; and functions of Linux for sockets.

#ifndef PLUGBOARD_CCURL_SHIM_H
#define PLUGBOARD_CCURL_SHIM_H

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdint.h>
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

static inline CURLcode ccurl_set_tls_context(CURL *easy, ccurl_tls_context function, const void *data) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, data);
    return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, function) : code;
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

// libcurl's own text, which is valid until the handle is used again; NULL without one.
static inline const char *ccurl_get_text(CURL *easy, CURLINFO info) {
    const char *text = NULL;
    return curl_easy_getinfo(easy, info, &text) == CURLE_OK ? text : NULL;
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

// The certificates of the server, if CURLOPT_CERTINFO asks for them; NULL without any.
static inline const struct curl_certinfo *ccurl_certificates(CURL *easy) {
    struct curl_certinfo *chain = NULL;
    return curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) == CURLE_OK ? chain : NULL;
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

// Whether the process runs with the address or the thread sanitizer. Pools then keep nothing, because sanitizers
// cannot check pooled memory.
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

static inline int ccurl_is_sanitized(void) {
    return __asan_init != 0 || __tsan_init != 0;
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
