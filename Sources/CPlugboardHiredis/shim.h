// libhiredis: commands and replies of Redis on connections that do not block, and what of it Swift cannot import.
//
// Its asynchronous interface (async.h) is left out: it ends the process where a server sends a reply that was not asked
// for (an assertion in redisProcessCallbacks).

#ifndef PLUGBOARD_CHIREDIS_SHIM_H
#define PLUGBOARD_CHIREDIS_SHIM_H

#include <hiredis/hiredis.h>
#include <string.h>

// The most elements of an array in a reply; hiredis allocates memory for as many as the server announces.
#define PLUGBOARD_REDIS_ELEMENT_LIMIT 1024

#if HIREDIS_MAJOR < 1
typedef int plugboard_redis_count;
#else
typedef size_t plugboard_redis_count;
#endif

static void *plugboard_redis_create_array(const redisReadTask *task, plugboard_redis_count count) {
    const redisReplyObjectFunctions *own = (const redisReplyObjectFunctions *)task->privdata;
    return (size_t)count > PLUGBOARD_REDIS_ELEMENT_LIMIT ? 0 : own->createArray(task, count);
}

// Refuses arrays beyond the limit: reading then fails as where memory is missing. `functions` must live as long as the
// reader.
static inline void plugboard_redis_bound(redisReader *reader, redisReplyObjectFunctions *functions) {
    *functions = *reader->fn;
    functions->createArray = plugboard_redis_create_array;
    reader->privdata = reader->fn;
    reader->fn = functions;
}

// A context on a connection that the caller has opened without blocking; redisFree closes the descriptor. Or NULL.
static inline redisContext *plugboard_redis_open(int descriptor, redisReplyObjectFunctions *functions) {
    redisContext *context = redisConnectFd(descriptor);
    if (context == 0) return 0;
    context->flags &= ~REDIS_BLOCK;
    plugboard_redis_bound(context->reader, functions);
    return context;
}

// Why a context has failed, in its own words.
static inline const char *plugboard_redis_error(const redisContext *context) { return context->errstr; }

#endif
