// plugboard.h: the plugin ABI of Plugboard, revision 1.
//
// A plugin takes part in HTTP exchanges. It is a shared object or is linked into the program, and it is written in any
// language that can export one C function. This header is the whole manual. A whole plugin, hello.c:
//
//     #include <plugboard.h>
//     #include <stdlib.h>
//
//     typedef struct hello { const plug_host_v1 *host; } hello;
//
//     static void *create(const plug_host_v1 *host, const plug_settings *settings) {
//         (void)settings;
//         hello *self = malloc(sizeof *self);
//         if (self != NULL) self->host = host;
//         return self;
//     }
//
//     static plug_verdict on_request(void *context, plug_exchange *exchange) {
//         hello *self = context;
//         plug_head *request = self->host->request(exchange);
//         self->host->set_field(request, PLUG_TEXT("x-hello"), PLUG_TEXT("world"));
//         return PLUG_VERDICT_NEXT;
//     }
//
//     PLUGBOARD_METADATA(hello, "com.example.hello", "1.0.0");
//     PLUGBOARD_PLUGIN(hello) {
//         .abi_revision = PLUG_ABI_REVISION, .id = PLUG_LITERAL("com.example.hello"),
//         .version = PLUG_LITERAL("1.0.0"), .documentation = PLUG_LITERAL("Adds the field x-hello to requests."),
//         .priority = 300, .hooks = PLUG_ON_REQUEST, .create = create, .destroy = free, .on_request = on_request,
//     };
//
// To build it and to send a request through it:
//
//     cc -std=c11 -O2 -fPIC -shared -fvisibility=hidden -Wl,-z,defs -Wl,-z,now -I SDK/include hello.c -o hello.so
//     plugboard get https://example.com/ --plugin ./hello.so
//
// The parts of this header: rules for all functions (this comment) · Words · Callbacks · Verdicts · The plugin (what it
// exports) · Bodies · URLs · Sub-requests · The host (what it can call) · For authors.
//
// The life of an exchange, for plugins A, B and C in the order of their priorities:
//
//     Request ─▶ on_request    A ▸ B ▸ C ─▶ Transport
//                     respond  │              │
//     Response ◀─ on_response  A ◂ B ◂ C ◀────┘     or ◀─ on_failure, when there is no response
//     body     ◀─ pull         A ◂     C ◀────      only those that wrapped it (here A and C)
//                 on_close     A ◂ B ◂ C            how it ended, innermost first
//                 on_event     A   B   C            facts, for watching only
//
// Further out is nearer to the caller, further in is nearer to the network: A is the outermost plugin here, with the
// smallest priority, and C the innermost. When on_request returns PLUG_VERDICT_NEXT, a turn of the plugin opens; its
// on_response or on_failure gets the outcome, and its on_close ends the turn. A request that is sent again (`resend`)
// opens further turns in the same exchange.
//
// The life of an instance, which is what `create` returns:
//
//     create ─▶ check ─▶ start ─▶ service ─▶ hooks, commands, timers, watches … ─▶ stop ─▶ destroy
//
// A kernel makes one instance of each plugin that is enabled. A process may have several kernels at once, or one after
// the other: what belongs to an instance is in `self`, never in static variables. A shared object is never unloaded; a
// file that has changed is read by the next process. In a child process made by fork(), call no function of the host;
// the kernel calls nothing there either. The child calls exec or _exit.
//
// Threads. A kernel has one or more event loops, and each loop has a thread. An exchange stays on one loop, with its
// hooks, bodies, pulls and sub-responses. The comment of each function ends with a tag:
//   [loop]    Runs on the thread of the exchange's loop. The kernel calls such a function of the plugin there, and it
//             must not block. The plugin calls such a function of the host there, within a call from the kernel.
//   [any]     Called on any thread, at any time from `create` until `destroy` returns. Before `start` only some of the
//             host's functions work: see `create`.
//   [start]   Called on the thread that makes the kernel, before the first exchange. It may block.
//   [worker]  Called by the kernel on a thread that is not a loop's. It may block.
//   [calls back]  Beside one of these: the function may call functions of plugins before it returns, also of the plugin
//             that calls it. Do not hold a lock meanwhile that those functions take.
// Hooks of one exchange never overlap. Hooks of several exchanges may run on several loops at once, so protect what
// `self` holds with a lock or with atomics. A timer runs on the loop that its start names, and on_event without an
// exchange on any loop.
//
// Memory. What the kernel hands out belongs to the kernel and is valid until the hook or callback returns, also after
// an edit, unless the comment says otherwise. A text that the plugin hands in is copied before the call returns. A
// body, bytes or a source that the plugin hands in belongs to the kernel from then on, also where the call returns an
// error. If set_turn_state or set_exchange_state returns an error, the state stays the plugin's, and its `release` is
// not called. A body can be handed in once: the second time is PLUG_BAD_ARGUMENT, and in `respond` a fault. Memory is
// never freed across the border: it is copied, or comes with its release function.
//
// Which functions take the host. A function that gets a pointer from the kernel (an exchange, a head, a body, an event,
// settings, a sub-response) finds its kernel through it. One that gets a number, or neither, takes the host that was
// given to `create`.
//
// Errors. A plug_result is PLUG_OK, or says why nothing was done; what the function would have written is then
// unchanged. NULL in place of a pointer that is needed is an error, never a crash: PLUG_BAD_ARGUMENT, or the result
// that the function has where it finds nothing (PLUG_NOT_FOUND, PLUG_STALE, PLUG_WRONG_TIME). NULL beside a count that
// is not 0 is PLUG_BAD_ARGUMENT. Where only a result would be written, NULL drops it. In the wrong hook, and without a
// pointer that it needs, a function that returns a pointer returns NULL, one that returns a text {NULL, 0}, and one
// that returns a number 0 or the value that its comment names for nothing. After the kernel has ended, functions tagged
// [any] do nothing and return PLUG_STALE, NULL or 0; releases, `random` and `url_parts` go on working.
//
// Names. Each kind of number has its own type, and its values have their own prefix: a plug_verdict is PLUG_VERDICT_….
// Only a plug_result is short: PLUG_OK, PLUG_STALE. The types are uint32_t or uint64_t, not enums, whose size depends
// on the compiler. A function of the host for a body, a pull, a sub-response, an event, a setting or a reply begins
// with that noun: `pull_give` gives bytes to a pull.
//
// Units. Times are nanoseconds, sizes are bytes. Texts are counted, never NUL-terminated, and may be {NULL, 0}. Fields
// that are handed in, of requests, responses and trailers, are checked: a name is a token, a value holds no CR, LF or
// NUL (RFC 9110 §5.1, §5.5). Control characters in what is logged or printed are shown escaped (`\u{1B}`).
//
// Ids of plugins, services and errors are ASCII. That of a service is an id like a plugin's, `/` and a number from 1
// ("com.example.tokens/1"). A name of an option begins with a letter; letters, digits, `.`, `_` and `-` follow. The
// attribute `enabled` of each plugin is the kernel's. What follows the plugin's id in the id of an event, and names and
// labels of metrics, are UTF-8 without control characters. All are compared byte by byte.
//
// The promise. A struct never changes its layout or its size, a function never changes what its comment says, a number
// never changes its meaning. All functions of the host's table are there: none is NULL. In a plugin's table only those
// may be NULL that say so. The ABI grows in four ways:
//   1. New functions of the host and new hooks come in tables of their own, which `extension` returns by an id
//      ("plugboard.name/1"). Such a table never changes either: more functions are a table with a new id
//      ("plugboard.name/2"). A plugin lists the ids that it cannot work without in `needs`, and a kernel that has not
//      got them does not start; with `?` behind an id, the plugin works without it, too.
//   2. A struct that needs more members becomes a new struct with a new tag (plug_source_v2), for functions of its own.
//      So the elements of an array have one size for good.
//   3. New flags, verdicts, events and details of events get numbers and names of their own. A plugin ignores those
//      that it does not know, and sets no flag that is not listed.
//   4. A new revision has a descriptor of its own (plug_plugin_v2), which a function MODULE_LTX_plugboard_plugin_2
//      returns. A kernel asks for the newest that it knows first, so one shared object can serve kernels of several
//      revisions. Such a file has the metadata of the lowest.

#ifndef PLUGBOARD_H
#define PLUGBOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLUG_ABI_REVISION 1u

// Swift imports callbacks as @Sendable; other compilers ignore this.
#if defined(__has_attribute)
#if __has_attribute(swift_attr)
#define PLUG_SENDABLE __attribute__((swift_attr("@Sendable")))
#endif
#endif
#ifndef PLUG_SENDABLE
#define PLUG_SENDABLE
#endif

// ---------------------------------------------------------------------------------------------------- Words

// Some bytes, mostly UTF-8. Values of fields are bytes as they came, in any encoding.
typedef struct plug_text {
    const char *bytes;
    uint64_t count;
} plug_text;

// A field of a message, an attribute, an option or a detail.
typedef struct plug_field {
    plug_text name;
    plug_text value;
} plug_field;

// The kernel's objects. A plugin holds pointers to them and looks inside through the host.
typedef struct plug_exchange plug_exchange;         // one request and its outcome, as seen from a hook
typedef struct plug_head plug_head;                 // the head of a request or a response, or trailer fields
typedef struct plug_body plug_body;                 // a source of bytes, owned by the plugin that holds it
typedef struct plug_event plug_event;               // a fact
typedef struct plug_subresponse plug_subresponse;   // the outcome of a sub-request
typedef struct plug_settings plug_settings;         // the plugin's settings in the configuration

// Handles. 0 is never valid. Three of them stand for something that the plugin has to complete exactly once: a pull
// with a piece of the body, a ticket with `wake`, a reply with the result of the command. To complete one a second time
// has no effect and returns PLUG_STALE.
typedef uint64_t plug_pull;
typedef uint64_t plug_ticket;
typedef uint64_t plug_reply;
typedef uint64_t plug_timer;
typedef uint64_t plug_watch;
typedef uint64_t plug_metric;

// Ids. 0 stands for none.
typedef uint64_t plug_exchange_id;     // unique in this kernel
typedef uint64_t plug_subrequest_id;   // unique in this kernel

// The result of a call: of the host's functions, and of the plugin's.
typedef uint32_t plug_result;
#define PLUG_OK 0u
#define PLUG_STALE 1u          // too late, or the second time: nothing happened
#define PLUG_WRONG_TIME 2u     // not in this hook, or not in this phase of the exchange or of the plugin's life
#define PLUG_BAD_ARGUMENT 3u   // a name, a number, a URL or a pointer that is not valid
#define PLUG_TOO_LARGE 4u      // beyond a limit
#define PLUG_NOT_FOUND 5u
#define PLUG_UNSUPPORTED 6u    // not possible here

// One of the kernel's event loops, by its number: 1 is the first. As an argument, 0 and a number of no loop stand for
// the loop on whose thread the call is made, and on other threads for the first.
typedef uint32_t plug_loop;

// A length that is not known beforehand.
#define PLUG_LENGTH_UNKNOWN UINT64_MAX

// ------------------------------------------------------------------------------------------------ Callbacks

// Functions that a plugin hands to the kernel together with a context of its own.

// Releases what `context` points at. The last call with that context.
typedef void (*PLUG_SENDABLE plug_release_function)(void *context);

// The time of a timer has come. [loop]
typedef void (*PLUG_SENDABLE plug_timer_function)(void *context);

// What a descriptor is ready for, or watched for, as bits.
typedef uint32_t plug_readiness;
#define PLUG_READY_READ 1u     // to read does not block
#define PLUG_READY_WRITE 2u    // to write does not block
#define PLUG_READY_BROKEN 4u   // an error, a hang-up, or a file that cannot be watched: reported in any case

// A descriptor is ready for some of what it is watched for. `watch` is the number that host->watch returns, also where
// it has not returned yet. [loop]
typedef void (*PLUG_SENDABLE plug_ready_function)(void *context, plug_watch watch, plug_readiness ready);

// Work that may block: see run_blocking. [worker]
typedef void (*PLUG_SENDABLE plug_work_function)(void *context);

// The work has returned. Where the loop has ended meanwhile, this runs on the worker's thread. [loop]
typedef void (*PLUG_SENDABLE plug_done_function)(void *context);

// Receives one of the kernel's metrics. Called within read_metrics, on its thread.
typedef struct plug_metric_v1 plug_metric_v1;
typedef void (*PLUG_SENDABLE plug_metric_function)(void *context, const plug_metric_v1 *metric);

// Asks a source for its next piece. [loop]
typedef void (*PLUG_SENDABLE plug_pull_function)(void *context, plug_pull pull);

// Asks a source to begin again at its first byte. Returns PLUG_OK, or anything else where it cannot. [loop]
typedef plug_result (*PLUG_SENDABLE plug_rewind_function)(void *context);

// Receives what a pull brought. The piece is valid until this returns. [loop]
typedef struct plug_piece_v1 plug_piece_v1;
typedef void (*PLUG_SENDABLE plug_piece_function)(void *context, const plug_piece_v1 *piece);

// Receives the outcome of a sub-request. [loop]
typedef void (*PLUG_SENDABLE plug_subresponse_function)(void *context, plug_subresponse *subresponse);

// ------------------------------------------------------------------------------------------------- Verdicts

// What a steering hook (on_request, on_response, on_failure) returns. All but PLUG_VERDICT_NEXT carry a payload, such
// as a response or a reason: the host's function of the same name keeps the payload and returns the verdict, as in
// `return host->fail(exchange, …)`. Of several such calls in one hook the last one counts, and its verdict or
// PLUG_VERDICT_NEXT has to be returned. Such a function does nothing and returns PLUG_VERDICT_REFUSED for NULL in place
// of the exchange, in another hook, and where its arguments are not valid.
//
// A fault of the plugin is a hook that returns a number that is not listed, PLUG_VERDICT_REFUSED, PLUG_VERDICT_FAULT,
// or a verdict without its payload. It fails the exchange or skips the plugin, as the configuration says (`onFault`).
// Where it skips the plugin, the hook's edits are undone, and the verdict counts as PLUG_VERDICT_NEXT.
typedef uint32_t plug_verdict;
#define PLUG_VERDICT_NEXT 0u      // the head goes on; in on_request this opens a turn
#define PLUG_VERDICT_RESPOND 1u   // on_request, on_response, on_failure
#define PLUG_VERDICT_RESEND 2u    //             on_response, on_failure
#define PLUG_VERDICT_HOLD 3u      // on_request, on_response
#define PLUG_VERDICT_WAIT 4u      // on_request, on_response, on_failure
#define PLUG_VERDICT_FAIL 5u      // on_request, on_response, on_failure
#define PLUG_VERDICT_FAULT 6u     // the plugin's own code broke: see `fault`
#define PLUG_VERDICT_REFUSED 7u   // from a function of the host that has done nothing; to return it is a fault

// Why a hook runs: the first time, or again.
typedef uint32_t plug_visit;
#define PLUG_VISIT_FIRST 0u
#define PLUG_VISIT_WOKEN 1u        // the ticket was woken
#define PLUG_VISIT_DEADLINE 2u     // the time of `wait` passed before the ticket was woken
#define PLUG_VISIT_HELD 3u         // the whole body is there: `held_body`
#define PLUG_VISIT_OVER_LIMIT 4u   // the body is larger than the limit of `hold`; it flows on from its first byte

// How a turn closed.
typedef uint32_t plug_close;
#define PLUG_CLOSE_ENDED 0u        // the body came to its end, or there was no body
#define PLUG_CLOSE_REPLACED 1u     // a plugin further out responded in its place
#define PLUG_CLOSE_RESENT 2u       // a plugin further out sent the request again
#define PLUG_CLOSE_FAILED 3u       // there was no response, or its body broke
#define PLUG_CLOSE_CANCELLED 4u    // cancelled, timed out as a whole, or not read to its end

// ------------------------------------------------------------------------------------------------ The plugin

// Hooks, as bits of `hooks`. A hook that is not listed is never called and costs nothing.
typedef uint32_t plug_hooks;
#define PLUG_ON_REQUEST 1u
#define PLUG_ON_RESPONSE 2u
#define PLUG_ON_FAILURE 4u
#define PLUG_ON_CLOSE 8u
#define PLUG_ON_EVENT 16u

// The type of an option.
typedef uint32_t plug_option_type;
#define PLUG_TYPE_BOOL 1u       // true, false
#define PLUG_TYPE_INTEGER 2u
#define PLUG_TYPE_TEXT 3u
#define PLUG_TYPE_DURATION 4u   // "180s": a whole number and ms, s, m, h or d; handed out as nanoseconds
#define PLUG_TYPE_SIZE 5u       // "16MiB": a whole number and B, KiB, MiB or GiB; handed out as bytes
#define PLUG_TYPE_LIST 6u       // of texts
#define PLUG_TYPE_MAP 7u        // of texts to texts

// Flags of an option, as bits.
typedef uint32_t plug_option_flags;
#define PLUG_FLAG_SECRET 1u     // never printed
#define PLUG_FLAG_REQUIRED 2u   // a setting without which the plugin cannot be created

// A setting (chosen by the configuration) or an attribute (carried by a request as `ID.name`). The kernel checks values
// against this table before the plugin sees them.
typedef struct plug_option_v1 {
    plug_text name;
    plug_option_type type;
    plug_option_flags flags;
    plug_text fallback;        // the default as the configuration would write it; a list or map as JSON; or {NULL, 0}
    int64_t minimum;           // bounds of a number, duration or size; of a text's bytes, of a list's or map's count
    int64_t maximum;           // both 0: no bounds. With only a minimum, write INT64_MAX here. A bool has no bounds
    plug_text choices;         // of texts: the words that are allowed, separated by blanks; or {NULL, 0}
    plug_text documentation;   // one line
} plug_option_v1;

// Flags of a command, as bits.
typedef uint32_t plug_command_flags;
// A program that is started for this command alone, such as `plugboard ID NAME`, sets PLUG_HOST_QUIET for the plugin:
// the command needs nothing that the plugin does by itself.
#define PLUG_COMMAND_QUIET 1u

// The one name of a command that has a meaning: it drops all that the plugin remembers, in memory and in its folder.
// `plugboard ID forget` and `kernel.forget()` call it.
#define PLUG_COMMAND_FORGET "forget"

// A command: `plugboard ID NAME`, `kernel.command("ID", "NAME")`.
typedef struct plug_command_v1 {
    plug_text name;
    plug_text arguments;       // a JSON object: the names of the arguments, and what each means; or {NULL, 0}
    plug_text documentation;   // one line
    plug_command_flags flags;
} plug_command_v1;

typedef struct plug_host_v1 plug_host_v1;
typedef struct plug_plugin_v1 plug_plugin_v1;

// The descriptor. Static: it and all it points at stay as long as the process lives. A kernel has at most 64 plugins,
// and one instance of each id.
struct plug_plugin_v1 {
    uint32_t abi_revision;     // PLUG_ABI_REVISION
    plug_hooks hooks;          // PLUG_ON_… together
    plug_text id;              // words of letters, digits, `-` and `_`, joined by single `.`. In reverse domain order
                               // (com.example.hello). Not `kernel`, and not beginning with `kernel.`
    plug_text version;         // major.minor.patch
    plug_text documentation;   // one line
    int32_t priority;          // 0 to 999, outermost to innermost: 0 watching, 100 admission, 200 validating, 300
                               // shaping, 400 follow-ups, 500 credentials, 600 caches, 800 retries, 900 the wire
    uint32_t reserved;         // 0
    const plug_text *before;   // ids of plugins that must stand further in than this one. They beat priorities. An
    uint64_t before_count;     // unknown id is a warning, unless `?` follows it (`cache?`)
    const plug_text *after;    // ids of plugins that must stand further out, in the same way
    uint64_t after_count;
    const plug_text *events;   // ids of the events that on_event is called for, `*.*` for all of plugins; NULL: all
    uint64_t event_count;
    const plug_option_v1 *settings;
    uint64_t setting_count;
    const plug_option_v1 *attributes;
    uint64_t attribute_count;
    const plug_command_v1 *commands;
    uint64_t command_count;
    const plug_text *provides; // ids of the services that `service` returns ("com.example.tokens/1"); no other plugin
    uint64_t provide_count;    // may provide them
    const plug_text *needs;    // ids of services of other plugins, and of extensions of the host, without which this
    uint64_t need_count;       // plugin cannot work; with `?` behind it, one that it uses where it is there
    void *context;             // the plugin's own; found as host->plugin->context

    // Makes the instance, which the other functions get as `self`. The settings were checked against the table before.
    // The host is valid as long as the instance. Before `start`, these functions of the host work: settings, `refuse`,
    // log, clocks, random, metrics, url_parts, configured_route, extension and those of folders. Of the others, those
    // that make something return NULL or 0, those that take a number PLUG_STALE or PLUG_NOT_FOUND, and the rest
    // PLUG_WRONG_TIME. Returns NULL, after host->refuse(…), where there can be no instance; then neither `stop` nor
    // `destroy` is called, so free here what was made. [start]
    void *(*create)(const plug_host_v1 *host, const plug_settings *settings);
    // Checks attributes together; each alone was checked against the table before. Called after `create` and before
    // `start`, once for each origin to whose requests the configuration gives attributes of this plugin, unless it
    // switches the plugin off for that origin. The fields are these attributes under their whole names (`ID.name`),
    // valid until the call returns. The host's functions that work in `create` work here too. Returns PLUG_OK, or
    // anything else after host->refuse(…), whose sentence must hold no secrets: the kernel then does not start.
    // Attributes that a request itself carries are not checked here, but by the hooks. May be NULL. [start]
    plug_result (*check)(void *self, const plug_field *attributes, uint64_t count);
    // All plugins are created, and all functions of the host work from here on. Begin here what the plugin does by
    // itself, unless host->flags has PLUG_HOST_QUIET. Returns PLUG_OK, or anything else after host->refuse(…);
    // `destroy` then follows without `stop`, and timers may fire until then. May be NULL. [start]
    plug_result (*start)(void *self);
    // Returns the service of an id of `provides`: a table of functions, whose layout never changes. Its own header says
    // what they take, and on which threads they may be called. Valid as long as the instance. Called once for each id
    // after `start`, before the plugins that need it are started; NULL is an error, and the kernel does not start. May
    // be NULL where `provides` is empty. [start]
    const void *(*service)(void *self, plug_text id);
    // No more exchanges come. Ends what the plugin does by itself, and may block for up to `within` nanoseconds. With 0
    // no time is left: cancel what you would wait for, and return. May be NULL. [worker]
    void (*stop)(void *self, int64_t within);
    // Frees the instance. The last call to it, except for releases of bytes, bodies and sources that the program still
    // holds. May be NULL. [worker]
    void (*destroy)(void *self);

    // The hooks; see Verdicts. One that `hooks` does not list may be NULL. [loop]
    plug_verdict (*on_request)(void *self, plug_exchange *exchange);
    // [loop]
    plug_verdict (*on_response)(void *self, plug_exchange *exchange);
    // [loop]
    plug_verdict (*on_failure)(void *self, plug_exchange *exchange);
    // Called exactly once for each turn of this plugin, when the turn is over: after the end of the body, and before
    // the body's reader gets that end. [loop]
    void (*on_close)(void *self, plug_exchange *exchange, plug_close outcome);
    // Called with a fact; cannot change the exchange, which is NULL for a fact about the kernel. The events of a
    // sub-request are reported to every plugin that lists them, also to a plugin that the sub-request does not visit.
    // In such a plugin, `attribute` returns the attributes of the request that the sub-request was sent for. [loop]
    void (*on_event)(void *self, plug_exchange *exchange, const plug_event *event);

    // Called for a command of the table, with its arguments as a JSON object; both texts are valid until it returns.
    // host->argument_… read single arguments. Give the result once, now or later, with one of host->reply_…: until then
    // the caller waits. Return soon after `stop` was called, because `destroy` waits for this. May be NULL without
    // commands. [worker]
    void (*command)(void *self, plug_text name, plug_text arguments, plug_reply reply);

    // Returns what `plugin`, this descriptor, has beyond revision 1, such as hooks that a later kernel knows: a table
    // by its id, whose layout never changes and which stays as long as the descriptor; or NULL, as for every id that
    // it does not know. May be NULL. [any]
    const void *(*extension)(const plug_plugin_v1 *plugin, plug_text id);
};

// ---------------------------------------------------------------------------------------------------- Bodies

// Bytes that are handed over. With `release`, the kernel keeps the memory and calls it once, on any thread, perhaps
// after `destroy`, because a program may hold the bytes longer. Without, it copies them before the call returns.
typedef struct plug_bytes {
    const void *bytes;
    uint64_t count;
    plug_release_function release;
    void *context;
} plug_bytes;

// A body that a plugin makes. Its functions never overlap.
typedef struct plug_source_v1 {
    void *context;
    uint64_t length;   // bytes in all, or PLUG_LENGTH_UNKNOWN. A body that gives more, or ends before, breaks with the
                       // code `plugin.fault`
    // Asks for the next piece. Complete the pull once, with host->pull_give, pull_end, pull_fail or pull_forward, now
    // or later, on any thread. Not called again before that, nor after the end. [loop]
    plug_pull_function pull;
    // Begins again at the first byte. NULL where that is not possible. [loop]
    plug_rewind_function rewind;
    // The last call of this source, also when a pull is open (to complete it is then PLUG_STALE). Never within another
    // function of the source. Where the loop has ended, it is called on the thread that gives the body back, perhaps
    // after `destroy`. May be NULL. [loop]
    plug_release_function release;
} plug_source_v1;

// What a pull brings.
typedef uint32_t plug_piece_kind;
#define PLUG_PIECE_BYTES 0u    // bytes, perhaps none
#define PLUG_PIECE_END 1u      // the end; `trailers` may hold fields
#define PLUG_PIECE_BROKEN 2u   // the body broke; `code` and `reason` say why
struct plug_piece_v1 {
    plug_piece_kind kind;
    uint32_t reserved;
    plug_text bytes;
    plug_head *trailers;   // NULL without trailers
    plug_text code;
    plug_text reason;
};

// -------------------------------------------------------------------------------------------------------- URLs

// The parts of a URL (RFC 3986 §3), as they are written. They point into the text that was given.
typedef struct plug_url_parts_v1 {
    plug_text scheme;
    plug_text userinfo;   // {NULL, 0} without
    plug_text host;       // an IPv6 address with its brackets
    plug_text path;
    plug_text query;      // without `?`; {NULL, 0} without a query
    plug_text fragment;   // without `#`; {NULL, 0} without
    uint32_t port;        // the one of the scheme where none is written
    uint32_t reserved;
} plug_url_parts_v1;

// ---------------------------------------------------------------------------------------------- Sub-requests

// Flags of a sub-request, as bits.
typedef uint32_t plug_subrequest_flags;
#define PLUG_SUBREQUEST_OUTERMOST 1u   // begins at the first plugin; without: just inside the plugin that sends it
#define PLUG_SUBREQUEST_DETACHED 2u    // outlives its exchange; without: is cancelled with it
#define PLUG_SUBREQUEST_LIKE_EXCHANGE 4u   // begins as a copy of the exchange's request

// A request of the plugin's own, which may be sent for an exchange:
//   1. Plugins. The plugin that sends it does not take part. If the exchange is itself a sub-request, the plugins that
//      sent it and the sub-requests around it do not take part either. Without PLUG_SUBREQUEST_OUTERMOST, the plugins
//      further out than the sender do not take part either. Plugins that do not take part still get its events.
//   2. Options. It has the options of the exchange's request, such as the proxy, where it does not set its own. The
//      `timeout` is excepted; at another origin also the client certificate, its key and the pins.
//   3. Secrets. Its fields are secret where the exchange's request has a secret field of the same name.
//   4. Copy. Without PLUG_SUBREQUEST_LIKE_EXCHANGE it takes no fields, attributes or body from the exchange's request.
//      With it, for an exchange under way, it begins as a copy of that request as it is then: method, URL, fields with
//      their secrets, the request's own attributes, and options. What is given here replaces that: a method and a URL
//      unless they are empty ({NULL, 0} keeps those of the exchange), a field all fields of its name, an attribute or
//      an option the one of its name. The body is the one given here, or none. At another origin it takes no secrets of
//      that request.
//   5. Time. Its own `timeout` applies, not the exchange's. It goes on while the exchange is suspended.
//   6. End. It is cancelled when the exchange ends. With PLUG_SUBREQUEST_DETACHED it goes on. One that is sent after
//      the end of its exchange takes nothing from it, not even the proxy: keep the options that `option_at` shows and
//      give them here; to another origin without pins, client certificate and key. If it serves several exchanges,
//      these must have the same `route` and `own_routes`.
//   7. Limits. Sub-requests nest four deep. Connection limits never make one wait.
typedef struct plug_subrequest_v1 {
    plug_text method;
    plug_text url;
    const plug_field *fields;
    uint64_t field_count;
    const plug_text *secrets;       // names of fields that are secret, as with mark_secret
    uint64_t secret_count;
    const plug_field *attributes;   // attributes for plugins (`cache.timeToLive`)
    uint64_t attribute_count;
    const plug_field *options;      // how it is sent, in the names and words of the configuration's `kernel`: timeout,
    uint64_t option_count;          // connectTimeout, idleTimeout, attemptTimeout, proxy, noProxy, connectTo,
                                    // interface, unixSocket, ipVersion, httpVersion, tls.verify, tls.ca, tls.pins
                                    // (separated by `;`), tls.certificate, tls.key, tls.minimum, speed.download,
                                    // speed.upload; and target and tls.keyPassword, which `kernel` does not have
    plug_body *body;                // taken over; NULL: no body
    int64_t timeout;                // nanoseconds; 0: the option `timeout`, or else the kernel's
    plug_subrequest_flags flags;
    uint32_t reserved;              // 0
    plug_subrequest_id *id;         // receives the id for cancel_subrequest, before send_subrequest returns; or NULL
} plug_subrequest_v1;

// -------------------------------------------------------------------------------------------------- The host

// The level of a line in the log.
typedef uint32_t plug_log_level;
#define PLUG_LOG_DEBUG 0u
#define PLUG_LOG_INFO 1u
#define PLUG_LOG_WARNING 2u
#define PLUG_LOG_ERROR 3u

// Flags of a host, as bits.
typedef uint32_t plug_host_flags;
// The plugin begins nothing by itself: it serves exchanges and commands, and does not send what it has stored, fetch,
// or clean up on its own.
#define PLUG_HOST_QUIET 1u

// The kind of a metric.
typedef uint32_t plug_metric_kind;
#define PLUG_METRIC_COUNTER 1u     // how often something was; it only rises
#define PLUG_METRIC_GAUGE 2u       // how much of something there is; it rises and falls
#define PLUG_METRIC_HISTOGRAM 3u   // how often values were within bounds

// A metric as it is now.
struct plug_metric_v1 {
    plug_text name;            // `ID.name`
    const plug_field *labels;  // in the order of their names
    uint64_t label_count;
    plug_metric_kind kind;
    uint32_t reserved;         // 0
    int64_t value;             // of a counter and a gauge; of a histogram the sum of its values
    const int64_t *bounds;     // of a histogram, rising
    uint64_t bound_count;
    const uint64_t *counts;    // of a histogram: how many values are up to each bound and above the one before it, and
};                             // last how many are above all bounds; so there is one more than there are bounds

// What is known of an attribute, as bits.
typedef uint32_t plug_attribute_flags;
#define PLUG_ATTRIBUTE_OWN 1u      // the request itself carries it; without: the configuration gives it
#define PLUG_ATTRIBUTE_SECRET 2u   // the table of its plugin says that it is secret

// What is known of a route, as bits.
typedef uint32_t plug_route_flags;
#define PLUG_ROUTE_UNVERIFIED 1u   // the server's certificate is not verified, so anybody may have responded
#define PLUG_ROUTE_DETOUR 2u       // a Unix socket or connectTo leads to another server than the URL's host and port

// A field of a head, with what is known of it.
typedef struct plug_head_field_v1 {
    plug_text name;
    plug_text value;
    plug_option_flags flags;   // PLUG_FLAG_SECRET, as is_secret says, or 0
    uint32_t reserved;         // 0
} plug_head_field_v1;

// The kernel as one plugin sees it. Valid from `create` until `destroy` returns.
struct plug_host_v1 {
    uint32_t abi_revision;
    plug_host_flags flags;
    void *kernel;                   // the kernel's own
    const plug_plugin_v1 *plugin;   // the descriptor that this host was made for
    plug_text version;              // the kernel's: major.minor.patch

    // ---- verdicts: return what they return, in a steering hook. In another hook they do nothing.

    // Responds in place of what lies further in. `status` is 200 to 999. Takes `body` over (NULL: no body). A status or
    // a field that is not valid is a fault. [loop] [calls back]
    plug_verdict (*respond)(plug_exchange *exchange, uint32_t status, const plug_field *fields, uint64_t count,
        plug_body *body);
    // Responds with the response of a sub-request, head and body; where that failed, fails with its error. A response
    // can be handed on once. [loop] [calls back]
    plug_verdict (*respond_with)(plug_exchange *exchange, plug_subresponse *subresponse);
    // Sends the request again, from just inside this plugin, after a delay. The request is what this plugin last passed
    // inward, with the edits that it makes to `request` in this hook; edits of inner plugins are undone. A fault where
    // `can_resend` is not PLUG_OK. [loop]
    plug_verdict (*resend)(plug_exchange *exchange, int64_t after);
    // Asks for the whole body, up to `limit` bytes: the hook runs again with PLUG_VISIT_HELD or PLUG_VISIT_OVER_LIMIT;
    // where there is no body, with PLUG_VISIT_HELD and no bytes. Edits made before stay. To ask again in that visit is
    // a fault. held_body works in that visit only: after a `wait`, ask again. [loop]
    plug_verdict (*hold)(plug_exchange *exchange, uint64_t limit);
    // Parks the exchange and writes the ticket to wake it with. The hook runs again with PLUG_VISIT_WOKEN, or with
    // PLUG_VISIT_DEADLINE after `within` nanoseconds: with 0 in the loop's next turn, and with a negative number never.
    // Edits made before stay, as if the last visit had made them. Each call starts its own time. A hook that has called
    // `wait` may return another verdict all the same; the ticket is then stale. [loop]
    plug_verdict (*wait)(plug_exchange *exchange, int64_t within, plug_ticket *ticket);
    // Ends the exchange with an error. The code is one word or dotted words of letters, digits, `-` and `_`; any other
    // is replaced by `plugin.failed`. The reason says what is wrong, where, and what to do. It holds no secrets. [loop]
    plug_verdict (*fail)(plug_exchange *exchange, plug_text code, plug_text reason);
    // For shims: the plugin's code broke (an exception, a panic). The configuration says what follows (`onFault`).
    // [loop]
    plug_verdict (*fault)(plug_exchange *exchange, plug_text reason);

    // ---- the exchange

    // Returns why this hook runs. [loop]
    plug_visit (*visit)(plug_exchange *exchange);
    // Returns the id of this exchange, for publish_event and send_subrequest, also after the hook has returned. [loop]
    plug_exchange_id (*exchange_id)(plug_exchange *exchange);
    // Returns how many attempts there were, the one under way included: 0 before the first. [loop]
    uint32_t (*attempt)(plug_exchange *exchange);
    // Returns the request as this plugin sees it, never NULL. It can be edited in on_request, and before `resend`.
    // [loop]
    plug_head *(*request)(plug_exchange *exchange);
    // Returns the response, or NULL before there is one. It can be edited in on_response. [loop]
    plug_head *(*response)(plug_exchange *exchange);
    // In on_failure, and in on_close after a failure: writes its code and reason. Else PLUG_WRONG_TIME. [loop]
    plug_result (*failure)(plug_exchange *exchange, plug_text *code, plug_text *reason);
    // Returns whether `resend` would be accepted now: PLUG_OK, or PLUG_WRONG_TIME where the request's body has begun
    // and cannot be rewound. [loop]
    plug_result (*can_resend)(plug_exchange *exchange);
    // Returns the URL that `reference` means here (RFC 3986 §5, against the request's URL), normalized; or {NULL, 0}.
    // [loop]
    plug_text (*resolve_url)(plug_exchange *exchange, plug_text reference);
    // Returns the id of the plugin that sent the request as a sub-request; {NULL, 0} for a request of the program.
    // [loop]
    plug_text (*sender)(plug_exchange *exchange);
    // Writes to `option` the one at an index, from 0 on, of the options that the request itself has, in the names and
    // words of plug_subrequest_v1.options. Writes to `flags`, which may be NULL, PLUG_FLAG_SECRET if the value holds a
    // secret, such as the password of a proxy; else 0. PLUG_NOT_FOUND from their count on. [loop]
    plug_result (*option_at)(plug_exchange *exchange, uint64_t index, plug_field *option, plug_option_flags *flags);
    // Returns a text that stands for the route of the request as it is now, and for how the server is verified. Two
    // requests have the same text if these values are the same for both, whether the request itself or the
    // configuration gives them: unixSocket, proxy, noProxy, interface and the target of connectTo, and over TLS
    // tls.verify, tls.ca, tls.pins, tls.certificate and tls.key. {NULL, 0} without any of these. The text is the same
    // in another process, too. Use what is stored or shared of an exchange only for exchanges with the same text, and
    // store nothing of it if PLUG_ROUTE_UNVERIFIED is written to `flags`, which may be NULL.
    // Keep what belongs to the server itself, such as cookies, by the URL's origin, and with PLUG_ROUTE_DETOUR also by
    // the first 16 bytes of the text: these are equal for the same unixSocket or target of connectTo, whatever the
    // proxy and the TLS options are. [loop]
    plug_text (*route)(plug_exchange *exchange, plug_route_flags *flags);
    // Returns a text that stands for the route and TLS options of the request itself, whatever its URL is; {NULL, 0}
    // without such options. `route` is about the URL that the request has now. Where a response may come from another
    // URL, as after a redirect, share it only among exchanges for which both texts are the same. [loop]
    plug_text (*own_routes)(plug_exchange *exchange);

    // Writes the parts of an absolute http or https URL; PLUG_BAD_ARGUMENT for another text. [any]
    plug_result (*url_parts)(plug_text url, plug_url_parts_v1 *parts);

    // ---- attributes

    // Returns an attribute by its whole name (`cache.timeToLive`): the request's, else the one that the configuration
    // gives for the request's origin, else {NULL, 0}. [loop]
    plug_text (*attribute)(plug_exchange *exchange, plug_text name);
    // Writes one of the attributes that `attribute` would return, in the order of their names. PLUG_NOT_FOUND from
    // their count on. set_attribute may change the order. [loop]
    plug_result (*attribute_at)(plug_exchange *exchange, uint64_t index, plug_field *attribute);
    // Sets an attribute of the request, in a steering hook. PLUG_NOT_FOUND if the name is no attribute of an enabled
    // plugin, PLUG_BAD_ARGUMENT if the value does not fit that plugin's table, PLUG_TOO_LARGE if all attributes were
    // more than 64 KiB. [loop]
    plug_result (*set_attribute)(plug_exchange *exchange, plug_text name, plug_text value);
    // Returns what is known of an attribute that `attribute` returns, as PLUG_ATTRIBUTE_… together. `name` is read
    // during the call only. [loop]
    plug_attribute_flags (*attribute_flags)(plug_exchange *exchange, plug_text name);

    // ---- state of the plugin's own

    // Sets the state of this turn, in any steering hook; NULL is no state. `release`, which may be NULL, runs on the
    // loop: after the turn's on_close, or when another state is set. PLUG_VERDICT_RESPOND and PLUG_VERDICT_FAIL of
    // on_request open no turn: it then runs at once. Where the exchange ends while on_request waits, it runs with that
    // end. [loop] [calls back]
    plug_result (*set_turn_state)(plug_exchange *exchange, void *state, plug_release_function release);
    // Returns the state of this turn, or NULL. [loop]
    void *(*turn_state)(plug_exchange *exchange);
    // Sets the state of this exchange over all its turns, which is released at its end, in the same way.
    // [loop] [calls back]
    plug_result (*set_exchange_state)(plug_exchange *exchange, void *state, plug_release_function release);
    // Returns the state of this exchange, or NULL. [loop]
    void *(*exchange_state)(plug_exchange *exchange);

    // ---- heads. An edit of a head that cannot be edited in this hook is PLUG_WRONG_TIME.

    // Returns the method of a request. [loop]
    plug_text (*method)(const plug_head *head);
    // Sets the method of a request. PLUG_BAD_ARGUMENT if it is not a token. [loop]
    plug_result (*set_method)(plug_head *head, plug_text method);
    // Returns the URL of a request, as the caller wrote it or a plugin set it. [loop]
    plug_text (*url)(const plug_head *head);
    // Sets the URL of a request. PLUG_BAD_ARGUMENT if it is not an absolute http or https URL. [loop]
    plug_result (*set_url)(plug_head *head, plug_text url);
    // Returns the status of a response; 0 for a request and for trailers. [loop]
    uint32_t (*status)(const plug_head *head);
    // Sets the status of a response. PLUG_BAD_ARGUMENT if it is not within 200 to 999. [loop]
    plug_result (*set_status)(plug_head *head, uint32_t status);
    // Returns how many fields there are. [loop]
    uint64_t (*field_count)(const plug_head *head);
    // Writes the field at an index, in the order in which they came. PLUG_NOT_FOUND from `field_count` on. [loop]
    plug_result (*field_at)(const plug_head *head, uint64_t index, plug_field *field);
    // Writes the fields of a head in their order, from the index `first` on and at most `count`, to `fields`, which the
    // caller owns. Returns how many it has written: fewer than `count` only if the head has no more. The texts live as
    // long as those of field_at. [loop]
    uint64_t (*read_fields)(const plug_head *head, uint64_t first, plug_head_field_v1 *fields, uint64_t count);
    // Returns the value of the first field of this name, in any case of letters; or {NULL, 0}. [loop]
    plug_text (*field)(const plug_head *head, plug_text name);
    // Replaces all fields of the name by one. PLUG_BAD_ARGUMENT if name or value is not valid. [loop]
    plug_result (*set_field)(plug_head *head, plug_text name, plug_text value);
    // Adds a field beside those of the same name. PLUG_BAD_ARGUMENT as above. [loop]
    plug_result (*add_field)(plug_head *head, plug_text name, plug_text value);
    // Removes all fields of the name. PLUG_OK also where there are none. [loop]
    plug_result (*remove_field)(plug_head *head, plug_text name);
    // Marks the fields of this name that the head has now as secret, also where set_field then gives them another
    // value: they are never printed, and are dropped when a resend goes to another origin. Fields with the usual names
    // of credentials, such as Authorization, Cookie and X-Api-Key, and those of kernel.secretFields always are secret.
    // [loop]
    plug_result (*mark_secret)(plug_head *head, plug_text name);
    // Returns 1 if the field at this index is secret, else 0. [loop]
    uint32_t (*is_secret)(const plug_head *head, uint64_t index);

    // ---- bodies that the plugin owns

    // Makes a body of bytes, which can be rewound. NULL before `start` and when the kernel has ended; the bytes are
    // then released. [any] [calls back]
    plug_body *(*body_of_bytes)(const plug_host_v1 *host, plug_bytes bytes);
    // Makes a body of a source. The struct is copied, its `context` taken over: where it returns NULL, as before
    // `start`, `release` has been called. [any] [calls back]
    plug_body *(*body_of_source)(const plug_host_v1 *host, const plug_source_v1 *source);
    // Returns the bytes in all, or PLUG_LENGTH_UNKNOWN. [loop]
    uint64_t (*body_length)(const plug_body *body);
    // Returns 1 if `body_rewind` can work, else 0. [loop]
    uint32_t (*body_can_rewind)(const plug_body *body);
    // Asks for the next piece. `pulled` runs once, later or within this call. To keep the piece's bytes, copy them or
    // call piece_keep. The `pulled` of a second call before the first has run gets PLUG_PIECE_BROKEN. Not to be called
    // after the end. [loop] [calls back]
    plug_result (*body_pull)(plug_body *body, void *context, plug_piece_function pulled);
    // Lets the body begin again at its first byte. PLUG_WRONG_TIME where that is not possible. [loop] [calls back]
    plug_result (*body_rewind)(plug_body *body);
    // Gives the body back, once. An open pull of it gets PLUG_PIECE_BROKEN with the code `cancelled`: in a hook soon
    // after the hook has returned, elsewhere on the loop before this returns, on another thread soon after. So the
    // context of the pull has to live until then. [any] [calls back]
    void (*body_release)(plug_body *body);

    // ---- pulls of the plugin's own source

    // Completes a pull with bytes. No bytes are allowed: another pull follows. [any] [calls back]
    plug_result (*pull_give)(const plug_host_v1 *host, plug_pull pull, plug_bytes bytes);
    // Completes it with the end, and with trailer fields. Trailers that set_field would refuse are PLUG_BAD_ARGUMENT,
    // and break the body. [any] [calls back]
    plug_result (*pull_end)(const plug_host_v1 *host, plug_pull pull, const plug_field *trailers, uint64_t count);
    // Completes it with an error, which breaks the body; code and reason as in `fail`. [any] [calls back]
    plug_result (*pull_fail)(const plug_host_v1 *host, plug_pull pull, plug_text code, plug_text reason);
    // Completes it with a piece that was just pulled, as it is, without a copy. Within `pulled`; elsewhere
    // PLUG_WRONG_TIME. [loop] [calls back]
    plug_result (*pull_forward)(const plug_host_v1 *host, plug_pull pull, const plug_piece_v1 *piece);

    // Keeps the bytes of a piece beyond `pulled`, without a copy, and writes them to `bytes`. Hand those over once, as
    // to pull_give, or call bytes->release(bytes->context) once, on any thread. For several readers, call this once for
    // each. Within `pulled`; elsewhere PLUG_WRONG_TIME. [loop]
    plug_result (*piece_keep)(const plug_host_v1 *host, const plug_piece_v1 *piece, plug_bytes *bytes);

    // ---- the bodies of the exchange

    // Takes the body of the request in on_request, to put a source around it: the plugin owns the body from here on,
    // and must set another in its place in the same hook, or it is at fault. NULL if there is none. [loop]
    plug_body *(*take_request_body)(plug_exchange *exchange);
    // Sets the body of the request, in on_request and before `resend`. NULL: no body. The field Content-Length stays as
    // it is: remove it where the length changes. [loop] [calls back]
    plug_result (*set_request_body)(plug_exchange *exchange, plug_body *body);
    // Takes the body of the response in on_response, in the same way. Responses to HEAD, and those with 204 and 304,
    // have none. [loop]
    plug_body *(*take_response_body)(plug_exchange *exchange);
    // Sets the body of the response, in on_response. NULL: no body. The field Content-Length stays as it is: remove it
    // where the length changes. [loop] [calls back]
    plug_result (*set_response_body)(plug_exchange *exchange, plug_body *body);
    // Returns the whole body, in a visit with PLUG_VISIT_HELD. [loop]
    plug_text (*held_body)(plug_exchange *exchange);
    // Returns 1 and writes all bytes of the response's body to `bytes` if its length is known and all of them are in
    // memory in one piece, as those of most small bodies are when their head comes. Returns 0 otherwise, and for a
    // response without a body. A plugin that only reads such a body needs no source around it. The reader gets the body
    // as it would without this call; whether it ends well is known in on_close. Works in on_response, until the plugin
    // takes the body. [loop]
    uint32_t (*whole_response_body)(plug_exchange *exchange, plug_text *bytes);

    // ---- waiting

    // Wakes the exchange that waits for this ticket: its hook runs again, later, and decides. PLUG_STALE if it does not
    // wait for it any more. [any]
    plug_result (*wake)(const plug_host_v1 *host, plug_ticket ticket);

    // ---- sub-requests

    // Sends a sub-request for the exchange of that id; 0 is for none, and needs PLUG_SUBREQUEST_DETACHED. After
    // PLUG_OK, `completed` runs exactly once, on the loop of the exchange, never within this call: with a response, or
    // with a failure, such as `request.url`, `request.field` and `request.option` for a request that is not valid, and
    // `cancelled` after a cancel. After another result it never runs: PLUG_WRONG_TIME before `start`, PLUG_STALE when
    // the kernel has ended.
    // [any] [calls back]
    plug_result (*send_subrequest)(const plug_host_v1 *host, plug_exchange_id exchange,
        const plug_subrequest_v1 *subrequest, void *context, plug_subresponse_function completed);
    // Cancels a sub-request of this plugin. `completed` still runs once, later: with the failure `cancelled`, or with
    // what came at the same time. PLUG_STALE if it has run or is running: then give the body of the response back
    // instead. [any]
    plug_result (*cancel_subrequest)(const plug_host_v1 *host, plug_subrequest_id id);

    // ---- sub-responses

    // Returns the head of the response, or NULL if the sub-request failed. This function and the two that follow work
    // within `completed`, and after subresponse_keep until subresponse_release: then on any loop, one call at a time.
    // [loop]
    plug_head *(*subresponse_head)(plug_subresponse *subresponse);
    // Writes why the sub-request failed. PLUG_NOT_FOUND if it did not. [loop]
    plug_result (*subresponse_failure)(plug_subresponse *subresponse, plug_text *code, plug_text *reason);
    // Returns how many attempts on the network a sub-request made, also one that failed. Works where subresponse_head
    // does. [loop]
    uint32_t (*subresponse_attempts)(plug_subresponse *subresponse);
    // Takes the body of the response, once; the plugin then owns it. NULL if there is none. A body that is not taken is
    // given back with the sub-response. [loop]
    plug_body *(*subresponse_take_body)(plug_subresponse *subresponse);
    // Keeps the sub-response beyond `completed`, until subresponse_release; also where respond_with has taken its
    // response. [loop]
    void (*subresponse_keep)(plug_subresponse *subresponse);
    // Releases a sub-response, once for each subresponse_keep. [any]
    void (*subresponse_release)(plug_subresponse *subresponse);

    // ---- events. Those of the kernel, with their details (times in nanoseconds):
    //   created started                   `created` of a sub-request: by (the plugin), for (the exchange's id)
    //   attemptBegan                      attempt, reason, method, url (without user and values of the query), waited
    //                                     (for a connection, where their number is limited)
    //   resolved connected secured sent firstByte     the steps of an attempt
    //   interim headReceived              version (1.0, 1.1, 2, 3), and the head: each one that comes from the
    //                                     network, before on_response
    //   progress                          sent, toSend, received, toReceive: at most ten a second, and once at the end
    //   attemptEnded                      attempt; nameLookup, connect, tls, firstByte, total: after its begin, and 0
    //                                     for what it did not need; address, port, localAddress, localPort: of a TCP
    //                                     connection, with requestSize (bytes of heads that were sent), connectStatus
    //                                     (the proxy's, to CONNECT) and verifyResult (the TLS library's number for the
    //                                     certificate; 0 if it is trusted); code: of the error, also of the body's;
    //                                     none for success
    //   resendScheduled                   by, after, attempt
    //   willSuspend suspended resumed willCancel cancelled     what the program does with the exchange
    //   pluginFaulted pluginStalled       plugin, hook
    //   hookReturned                      plugin, hook, visit, verdict, took, changed (parts of the heads: url, method,
    //                                     status, body, names of fields and attributes, with spaces between them): each
    //                                     call of a hook, where the configuration has kernel.measureHooks
    //   pluginDisabled                    plugin, faults
    //   networkChanged                    reachable, ipv4, ipv6 (0 or 1), kind (none, loopback, ethernet, wireless,
    //                                     tunnel, other), interface: soon after `start`, and each time it differs from
    //                                     then on, where a plugin lists it or the program asks for it
    //   closing                           once, when the kernel is being shut down, before it waits for the exchanges
    //                                     under way and before `stop`. It takes no more requests of the program. It
    //                                     sends sub-requests that are begun now, such as a last message, and waits for
    //                                     them; later ones may be refused
    //   willComplete                      by and for, as above; respondedBy (the plugin that responded in place of the
    //                                     network); respondedWith (`subRequest` for a response of a sub-request)
    //   completed                         outcome, attempts: exactly once

    // Publishes a fact under the plugin's own id (`com.example.hello.greeted`), with details. `exchange` is 0 for a
    // fact about the kernel; a fact of an exchange that has ended is published as one about the kernel.
    // PLUG_BAD_ARGUMENT for an id that does not begin with the plugin's id and a dot, or whose rest is empty, is not
    // UTF-8, or holds a control character. Within on_event of a plugin's event, it is delivered in the loop's next
    // turn; PLUG_TOO_LARGE, and dropped, where more than 16 such events led to one another, or 1024 wait.
    // [any] [calls back]
    plug_result (*publish_event)(const plug_host_v1 *host, plug_exchange_id exchange, plug_text id,
        const plug_field *details, uint64_t count);
    // Returns the id of an event. This function and the four that follow work within on_event. [loop]
    plug_text (*event_id)(const plug_event *event);
    // Returns a detail as text, integers in decimal; or {NULL, 0}. [loop]
    plug_text (*event_text)(const plug_event *event, plug_text name);
    // Writes a detail as a number. PLUG_NOT_FOUND if there is none of that name, or it is no number. [loop]
    plug_result (*event_integer)(const plug_event *event, plug_text name, int64_t *value);
    // Writes the detail at an index, its value as event_text returns it. PLUG_NOT_FOUND from their count on. [loop]
    plug_result (*event_detail_at)(const plug_event *event, uint64_t index, plug_field *detail);
    // Returns the head that an event is about (`interim`, `headReceived`), or NULL. It cannot be edited. [loop]
    const plug_head *(*event_head)(const plug_event *event);

    // ---- settings, within `create`. A name that the table does not list is PLUG_NOT_FOUND.

    // Writes a bool (0 or 1), an integer, a duration or a size. PLUG_NOT_FOUND for other types. [start]
    plug_result (*setting_integer)(const plug_settings *settings, plug_text name, int64_t *value);
    // Writes a text as it is, a list and a map as JSON, others as the configuration would write them. [start]
    plug_result (*setting_text)(const plug_settings *settings, plug_text name, plug_text *value);
    // Writes the item of a list or a map at an index (in a list its name is empty). PLUG_NOT_FOUND from their count on.
    // [start]
    plug_result (*setting_item)(const plug_settings *settings, plug_text name, uint64_t index, plug_field *item);
    // Says in a sentence why `create`, `check` or `start` refuses; the last call counts. [start]
    void (*refuse)(const plug_host_v1 *host, plug_text reason);

    // ---- services

    // Writes to the log, under the plugin's id. Of a text with several lines, the further ones begin with four blanks.
    // Other line breaks are shown escaped. An unknown level is ignored. [any]
    void (*log)(const plug_host_v1 *host, plug_log_level level, plug_text text);
    // Returns the lowest level that is printed. [any]
    plug_log_level (*log_level)(const plug_host_v1 *host);
    // Returns the monotonic time. Its zero has no meaning. [any]
    int64_t (*now)(const plug_host_v1 *host);
    // Returns the time since 1970-01-01 00:00 UTC. [any]
    int64_t (*wall_clock)(const plug_host_v1 *host);
    // Fills `bytes` with random bytes that are fit for keys. [any]
    void (*random)(const plug_host_v1 *host, void *bytes, uint64_t count);
    // Returns the path of a folder that only this plugin uses, made when it is first asked for (mode 0700). Valid as
    // long as the host. {NULL, 0} if it cannot be made. It may block on the disk: call it in `create` or `start`. [any]
    plug_text (*data_directory)(const plug_host_v1 *host);
    // Returns the path that `data_directory` has in a kernel that starts, without making the folder: it may not exist.
    // A check of a configuration calls `create`, too, and `data_directory` is then an empty folder, which is removed
    // after the check. To refuse what `start` would refuse, read at this path in `create`, and write nothing there.
    // Valid as long as the host. {NULL, 0} if there is no such path. [any]
    plug_text (*data_path)(const plug_host_v1 *host);
    // Returns the absolute path of the folder where relative paths begin that the configuration gives, in settings and
    // in attributes: that of the configuration's file, or else the process's when the kernel was made. Valid as long as
    // the host. {NULL, 0} if that folder is gone. [any]
    plug_text (*configuration_directory)(const plug_host_v1 *host);
    // Returns what `route` returns, of a request to `url` with these options, in the names and words of
    // plug_subrequest_v1.options; those that are not valid are left out. Valid as long as the host. [any]
    plug_text (*configured_route)(const plug_host_v1 *host, plug_text url, const plug_field *options,
        uint64_t option_count, plug_route_flags *flags);

    // ---- timers

    // Returns the loop on whose thread it is called; 0 on other threads. [any]
    plug_loop (*current_loop)(const plug_host_v1 *host);
    // Starts a timer: `fired` runs once, on this loop, after this time. It does not run if the timer is cancelled, the
    // plugin is switched off or the kernel ends before; free the context yourself then, at the latest in `destroy`. A
    // thread of the plugin gets to a loop by a timer whose `after` is 0; such a timer fires also for a plugin that is
    // switched off. Returns 0 where no timer starts, as before `start`. [any]
    plug_timer (*start_timer)(const plug_host_v1 *host, plug_loop loop, int64_t after, void *context,
        plug_timer_function fired);
    // Cancels a timer. PLUG_STALE if it has run or is running. [any]
    plug_result (*cancel_timer)(const plug_host_v1 *host, plug_timer timer);

    // ---- descriptors

    // Watches a descriptor on this loop: `ready` runs there again and again as long as the descriptor is ready for some
    // of `wanted`. The plugin has opened the descriptor so that it does not block (O_NONBLOCK). `release` runs exactly
    // once and is the last call with the context: soon after `unwatch`, after the plugin is switched off, and at the
    // kernel's end, after `stop` and before `destroy`. It runs on the loop, and where that has ended, on another
    // thread. Close the descriptor there and not before. A descriptor can be watched once: the `release` of a second
    // watch runs soon, `ready` never, and that release must not close the descriptor. Returns 0, and calls nothing,
    // before `start`, when the kernel has ended, and for a negative descriptor. [any]
    plug_watch (*watch)(const plug_host_v1 *host, plug_loop loop, int32_t descriptor, plug_readiness wanted,
        void *context, plug_ready_function ready, plug_release_function release);
    // Watches for this from here on; 0: for nothing. Called on another thread than the loop's, it takes effect soon. Of
    // calls on several threads the last one counts. PLUG_STALE once the watch has ended. [any]
    plug_result (*rewatch)(const plug_host_v1 *host, plug_watch watch, plug_readiness wanted);
    // Ends a watch; `release` follows, never within this call. PLUG_STALE the second time. [any]
    plug_result (*unwatch)(const plug_host_v1 *host, plug_watch watch);

    // ---- work that blocks

    // Runs `work` on a thread of the kernel's, where it may block, and then `done` on this loop; where the loop has
    // ended meanwhile, on the thread of `work`. After PLUG_OK both run exactly once, before `destroy`, also for a
    // plugin that was switched off. At most 64 pieces of work run at once; others wait. With another result nothing
    // runs: PLUG_WRONG_TIME before `start`, PLUG_STALE after `stop`, PLUG_TOO_LARGE where the system starts no thread.
    // [any]
    plug_result (*run_blocking)(const plug_host_v1 *host, plug_loop loop, void *context, plug_work_function work,
        plug_done_function done);

    // ---- services of other plugins

    // Returns the service of an id that `needs` lists, from the plugin's own `start` on. NULL for another id, and for
    // one with `?` that no plugin provides. Valid until `destroy` returns: the plugin that provides it is created and
    // started before this one, and stopped and destroyed after it. [any]
    const void *(*service)(const plug_host_v1 *host, plug_text id);

    // ---- metrics. Operators and exporters read them as `ID.name`. A plugin can have 2000 metrics, and gets 0 when it
    // asks for more. 0 in place of a metric does nothing.

    // Returns the counter of this name without labels, made at 0 when it is first asked for. 0 for a name that is
    // empty, is not UTF-8, or holds a control character. [any]
    plug_metric (*counter)(const plug_host_v1 *host, plug_text name);
    // Returns the metric of this kind, name and these labels, made when it is first asked for. A histogram has at least
    // one bound, at most 64, each greater than the one before it; others have none. Labels have different names. 0 for
    // names and values of labels as of `counter`, and where the name has another kind or other bounds already. [any]
    plug_metric (*metric)(const plug_host_v1 *host, plug_metric_kind kind, plug_text name, const plug_field *labels,
        uint64_t label_count, const int64_t *bounds, uint64_t bound_count);
    // Adds to a counter or a gauge. [any]
    void (*metric_add)(const plug_host_v1 *host, plug_metric metric, int64_t delta);
    // Sets a gauge. [any]
    void (*metric_set)(const plug_host_v1 *host, plug_metric metric, int64_t value);
    // Counts a value in a histogram. [any]
    void (*metric_observe)(const plug_host_v1 *host, plug_metric metric, int64_t value);
    // Calls `read` for each metric of all plugins and of the kernel, in the order of their names: an exporter is a
    // plugin. What it receives is valid until it returns. [any] [calls back]
    void (*read_metrics)(const plug_host_v1 *host, void *context, plug_metric_function read);

    // ---- the arguments of a command, by their names. These functions work until `command` returns, and the texts are
    // valid as long. Asking again returns the same text.

    // Writes an argument that is an integer, or a bool (0 or 1); PLUG_NOT_FOUND for others and without it. [any]
    plug_result (*argument_integer)(const plug_host_v1 *host, plug_reply reply, plug_text name, int64_t *value);
    // Writes an argument: a text as it is, others as JSON; PLUG_NOT_FOUND without it. [any]
    plug_result (*argument_text)(const plug_host_v1 *host, plug_reply reply, plug_text name, plug_text *value);
    // Writes the item of an array or an object at an index, in the same way; in an array its name is empty.
    // PLUG_NOT_FOUND from their count on. [any]
    plug_result (*argument_item)(const plug_host_v1 *host, plug_reply reply, plug_text name, uint64_t index,
        plug_field *item);

    // ---- replies

    // Gives the result of a command: a JSON text. A text that is no JSON is PLUG_BAD_ARGUMENT, and fails the command.
    // [any]
    plug_result (*reply_json)(const plug_host_v1 *host, plug_reply reply, plug_text json);
    // Gives the result of a command: a body, not NULL. [any] [calls back]
    plug_result (*reply_body)(const plug_host_v1 *host, plug_reply reply, plug_body *body);
    // Fails a command; code and reason as in `fail`. [any]
    plug_result (*reply_fail)(const plug_host_v1 *host, plug_reply reply, plug_text code, plug_text reason);

    // ---- beyond revision 1

    // Returns what the kernel offers beyond revision 1: a table of functions by its id ("plugboard.name/1"), whose
    // layout never changes, valid as long as the host; or NULL. [any]
    const void *(*extension)(const plug_host_v1 *host, plug_text id);
};

// ----------------------------------------------------------------------------------------------- For authors

static inline plug_text plug_make_text(const char *bytes, uint64_t count) {
    plug_text text;
    text.bytes = bytes;
    text.count = count;
    return text;
}

// A literal as a text, in a function and in a static initializer.
#define PLUG_TEXT(literal) plug_make_text("" literal, sizeof(literal) - 1)
#define PLUG_LITERAL(literal) { "" literal, sizeof(literal) - 1 }

#if defined(__GNUC__)
#define PLUG_EXPORT __attribute__((visibility("default")))
#define PLUG_HIDDEN __attribute__((visibility("hidden")))
#if defined(__has_attribute)
#if __has_attribute(retain)
#define PLUG_RETAIN , retain   // kept also by a linker that drops sections without references
#endif
#endif
#ifndef PLUG_RETAIN
#define PLUG_RETAIN
#endif
#define PLUG_SECTION __attribute__((used, section("plugboard") PLUG_RETAIN))
#else
#define PLUG_EXPORT
#define PLUG_HIDDEN
#define PLUG_SECTION
#endif

#ifdef __cplusplus
#define PLUG_EXTERN extern "C"
#else
#define PLUG_EXTERN extern
#endif

// What can be read from the file without running it: the ELF section `plugboard` holds this text and nothing else.
// `id` and `version` are literals, and equal to those in the descriptor.
#define PLUGBOARD_METADATA(module, id, version) \
    PLUG_SECTION static const char module##_plugboard_metadata[] = "plugboard/1 " id " " version

// Defines the one exported function. The descriptor follows in braces:
//     PLUGBOARD_METADATA(stamp, "com.example.stamp", "1.0.0");
//     PLUGBOARD_PLUGIN(stamp) { .abi_revision = PLUG_ABI_REVISION, … };
#define PLUGBOARD_PLUGIN(module) \
    extern const plug_plugin_v1 module##_plugboard_descriptor PLUG_HIDDEN; \
    PLUG_EXTERN PLUG_EXPORT const plug_plugin_v1 *module##_LTX_plugboard_plugin(void); \
    const plug_plugin_v1 *module##_LTX_plugboard_plugin(void) { return &module##_plugboard_descriptor; } \
    const plug_plugin_v1 module##_plugboard_descriptor =

#ifdef __cplusplus
}
#endif
#endif
