// plugboard-store.h: the service plugboard.store/1, which keeps keys and values for a fleet of processes.
//
// One plugin provides it, for one engine, such as Redis; other plugins use it for what all processes have in common: a
// cache, tokens, limits, budgets. This file is all that they have in common. A plugin that uses it lists
// "plugboard.store/1?" in `needs`, so that it also works without, and asks for the table in `start`:
//
//     self->store = self->host->service(self->host, PLUG_TEXT(PLUG_STORE_1));
//
// The table is valid until the plugin's `stop` has ended; replies may come later.
//
// A plugin that provides it lists the id in `provides`, and returns the table in `service`. What this file says never
// changes: more functions are another service, plugboard.store/2.
//
// Calls. All functions can be called on any thread. None blocks or waits for the engine, and none calls a function of
// the caller before it returns. `done` and `changed` are called with no lock of the provider held: they may call the
// table again, and callers may hold locks of their own that these functions take while they call the table. Each call
// but `watch` and `unwatch` has one result: `done` runs exactly once, on any thread, within `within` of the call and a
// little: also when the engine cannot be reached, when it does not respond, and when the provider stops. So an outage
// never holds a request for longer than its caller says. While an engine is known to be out, calls end at once with
// PLUG_STORE_DOWN. What a call hands in is copied before it returns; what `done` gets is valid until it returns. NULL
// in place of `call`, or of `done`, does nothing.
//
// Order. Calls of one process for one key take effect in the order in which they were made. A call with several keys
// takes effect as a whole.
//
// Keys and values. A key is UTF-8 of 1 to PLUG_STORE_KEY_LIMIT bytes that begins with the id of its plugin and the
// version of what it holds: "limit/1/…". So a process with another version finds nothing, and what it does not
// understand is never read as something else. A value is up to PLUG_STORE_VALUE_LIMIT bytes of any kind. What is read
// may be written by another process, of another version, or by somebody else: check it like a file. No secret is part
// of a key, because engines show keys; hash it.
//
// Times. All times are nanoseconds. Each key has a time to live, from 1 ms to PLUG_STORE_TIME_LIMIT, by the engine's
// clock. It is gone then, and a full engine may remove it earlier.

#ifndef PLUGBOARD_STORE_H
#define PLUGBOARD_STORE_H

#include "plugboard.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLUG_STORE_1 "plugboard.store/1"

#define PLUG_STORE_KEY_LIMIT 512u
#define PLUG_STORE_VALUE_LIMIT 1048576u                // 1 MiB
#define PLUG_STORE_COUNT_LIMIT 1000u                   // keys of one call
#define PLUG_STORE_TIME_LIMIT INT64_C(2592000000000000) // 30 days

// How a call ended.
typedef uint32_t plug_store_result;
#define PLUG_STORE_DONE 0u
#define PLUG_STORE_REFUSED 1u   // the value is another one, or the lock is another's: nothing was changed
#define PLUG_STORE_LATE 2u      // the time was over before the engine responded: it may carry the call out all the same
#define PLUG_STORE_DOWN 3u      // the engine cannot be reached, breaks off, is full, or the provider stops: as for LATE
#define PLUG_STORE_INVALID 4u   // a key, a value, a number or a time is not valid, or `add` found no number

// A value that was read.
typedef struct plug_store_value_v1 {
    plug_text bytes;
    uint32_t is_found;   // 1, or 0 for a key that does not exist
    uint32_t reserved;
} plug_store_value_v1;

// What a call brought.
typedef struct plug_store_reply_v1 {
    plug_store_result result;
    uint32_t reserved;
    const plug_store_value_v1 *values;   // of `get`: one for each key, in their order; of others NULL
    uint64_t value_count;
    int64_t number;                      // of `add` the new number, of `take_lock` the token; of others 0
    plug_text reason;                    // a sentence for the log where the result is not PLUG_STORE_DONE; no secrets
} plug_store_reply_v1;

// Receives the reply of a call. Do not block in it. [any]
typedef void (*PLUG_SENDABLE plug_store_function)(void *context, const plug_store_reply_v1 *reply);

// What all calls have in common.
typedef struct plug_store_call_v1 {
    int64_t within;             // the longest time until `done`; 0 or less ends with PLUG_STORE_LATE
    void *context;              // of `done`
    plug_store_function done;
} plug_store_call_v1;

// A value to be written.
typedef struct plug_store_entry_v1 {
    plug_text key;
    plug_text value;
    int64_t time_to_live;
} plug_store_entry_v1;

// The number of a watch; 0 stands for no watch.
typedef uint64_t plug_store_watch;

// A key has changed that was read with this watch: it was written, counted up or removed, by any process, also by this
// one. It is told once, and again only after it was read again. It may be told before the reply to that `get` comes,
// which then has the value from before. {NULL, 0}: any of the keys may have changed, as after a connection was lost.
// That a key's time to live has ended need not be told. Do not block in it. [any]
typedef void (*PLUG_SENDABLE plug_store_changed_function)(void *context, plug_text key);

typedef struct plug_store_v1 {
    void *context;      // the first argument of the functions
    plug_text engine;   // a word for the log and for reports: "memory", "redis"

    // Reads keys. With a watch that is not 0, what changes from this moment on is told: a change that comes after the
    // values were read is never missed. [any]
    void (*get)(void *context, const plug_store_call_v1 *call, plug_store_watch watch, const plug_text *keys,
        uint64_t count);
    // Writes values, all or none, whether the keys exist or not. [any]
    void (*put)(void *context, const plug_store_call_v1 *call, const plug_store_entry_v1 *entries, uint64_t count);
    // Removes keys; one that does not exist is no error. [any]
    void (*remove)(void *context, const plug_store_call_v1 *call, const plug_text *keys, uint64_t count);
    // Adds to a number: a value in the shortest decimal form, such as "17", "-3" or "0". Other forms, such as "+17" and
    // "017", need not count as numbers. A key that does not exist is made as 0 with this time to live; that of an
    // existing one stays. A sum beyond 64 bits is PLUG_STORE_INVALID, and changes nothing. [any]
    void (*add)(void *context, const plug_store_call_v1 *call, plug_text key, int64_t delta, int64_t time_to_live);
    // Writes a value if the key now has the value `expected`; NULL: if it does not exist. Else PLUG_STORE_REFUSED.
    // [any]
    void (*compare_and_set)(void *context, const plug_store_call_v1 *call, const plug_text *expected,
        const plug_store_entry_v1 *entry);

    // Takes a lock, which the engine gives back by itself after its time to live. Its token is above 0, and above those
    // of all who had this lock before, so that a later holder's writes can be told from an earlier one's. Locks and
    // values do not have keys in common. PLUG_STORE_REFUSED where another holds it, or this process already. [any]
    void (*take_lock)(void *context, const plug_store_call_v1 *call, plug_text key, int64_t time_to_live);
    // Lets a lock live for this time from now on. PLUG_STORE_REFUSED where the token is not that of the holder, as
    // after its time. [any]
    void (*renew_lock)(void *context, const plug_store_call_v1 *call, plug_text key, int64_t token,
        int64_t time_to_live);
    // Gives a lock back. PLUG_STORE_REFUSED as above. [any]
    void (*give_back_lock)(void *context, const plug_store_call_v1 *call, plug_text key, int64_t token);

    // Begins a watch. `release` runs once and is the last call with the context: after `unwatch`, or when the provider
    // stops. Returns 0, and calls nothing, when it has stopped. [any]
    plug_store_watch (*watch)(void *context, void *watcher, plug_store_changed_function changed,
        plug_release_function release);
    // Ends a watch. `changed` may still run on another thread until `release` does. [any]
    void (*unwatch)(void *context, plug_store_watch watch);
} plug_store_v1;

#ifdef __cplusplus
}
#endif

#endif
