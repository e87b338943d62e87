// plugboard.h: the plugin ABI of Plugboard, revision 1.
//
// A plugin takes part in HTTP exchanges. It is a shared object or is linked into the program, and it is written in any
// language that can export one C function. This header is its whole manual.
//
//     Request ─▶ on_request    A ▸ B ▸ C ─▶ Transport
//                     respond  │              │
//     Response ◀─ on_response  A ◂ B ◂ C ◀────┘     or ◀─ on_failure, when there is no answer
//     body     ◀─ pull         A ◂     C ◀────      only those that wrapped it (here A and C)
//                 on_close     A ◂ B ◂ C            how it ended, innermost first
//                 on_event     A   B   C            facts, for watching only
//
// How to read it
//   [loop]    on the loop's thread of the exchange, from within a call of the kernel. It must not block.
//   [any]     on any thread, at any time from `create` until `destroy` returns.
//   A text or a pointer that the kernel hands out is the kernel's, and good until the hook (or callback) returns,
//   unless its comment says otherwise. A text that the plugin hands in is copied before the call returns.
//   Memory is never freed across the border: what is handed over is copied or comes with its release function.
//   Functions of the host that return uint32_t without further word return one of PLUG_OK … PLUG_UNSUPPORTED.
//   Times are nanoseconds; sizes are bytes. Texts are counted, never NUL-terminated, and may be {NULL, 0}.
//
//   Asked in the wrong phase, a function that returns a pointer returns NULL, and one that returns a text {NULL, 0}.
//   A body, bytes and a source that are handed in are taken over even where the call returns an error. A state that is
//   refused stays the plugin's.
//   Fields that are handed in, of requests, responses and trailers, are checked where they come in: a name is a token,
//   a value holds no CR, LF or NUL (RFC 9110 §5.1, §5.5).
//
// What is promised
//   A struct tag never changes its layout, a function never changes what it says here, a number never changes its
//   meaning. New things come as extensions, asked for by id (`extension` below), and with new tags (plug_host_v2).
//
// Reentrancy: hooks of one exchange never overlap. Several exchanges may run on several loops at once, so what `self`
// holds is shared between threads.

#ifndef PLUGBOARD_H
#define PLUGBOARD_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PLUG_ABI_REVISION 1u

// Swift takes callbacks as @Sendable; other compilers see nothing.
#if defined(__has_attribute)
#if __has_attribute(swift_attr)
#define PLUG_SENDABLE __attribute__((swift_attr("@Sendable")))
#endif
#endif
#ifndef PLUG_SENDABLE
#define PLUG_SENDABLE
#endif

// ---------------------------------------------------------------------------------------------------- Words

// Some bytes, mostly UTF-8. Header values are bytes as they came, in whatever encoding.
typedef struct plug_text {
    const char *bytes;
    uint64_t count;
} plug_text;

// Bytes that are handed over. With `release`, the kernel keeps the memory and calls it once, from any thread, perhaps
// after `destroy`, for a program may hold the bytes longer; without, it copies before the call returns.
typedef struct plug_bytes {
    const void *bytes;
    uint64_t count;
    void (*PLUG_SENDABLE release)(void *context);
    void *context;
} plug_bytes;

// The kernel's objects. A plugin holds pointers to them and looks inside through the host.
typedef struct plug_exchange plug_exchange;    // one request and its outcome, as seen from a hook
typedef struct plug_head plug_head;            // the head of a request or a response
typedef struct plug_body plug_body;            // a source of bytes
typedef struct plug_event plug_event;          // a fact
typedef struct plug_subresponse plug_subresponse;        // the outcome of a sub-request
typedef struct plug_settings plug_settings;    // the plugin's part of the configuration

// A pull is a question for the next piece of a body. A ticket stands for an exchange that waits. A reply is a command's
// outstanding answer. All three are numbers that are used up by the first answer; a later one is PLUG_STALE.
typedef uint64_t plug_pull;
typedef uint64_t plug_ticket;
typedef uint64_t plug_reply;
typedef uint64_t plug_timer;
typedef uint64_t plug_counter;
typedef uint64_t plug_subrequest;

// What functions of the host return.
#define PLUG_OK 0u
#define PLUG_STALE 1u          // too late, or the second time; nothing happened
#define PLUG_WRONG_TIME 2u     // not in this hook, or not in this phase of the exchange
#define PLUG_BAD_ARGUMENT 3u   // a name, a number or a URL that cannot be
#define PLUG_TOO_LARGE 4u      // beyond a limit
#define PLUG_NOT_FOUND 5u
#define PLUG_UNSUPPORTED 6u

// A length that is not known beforehand.
#define PLUG_UNKNOWN UINT64_MAX

// ------------------------------------------------------------------------------------------------- Verdicts

// What a hook returns. All but PLUG_NEXT carry a payload: they are returned by the host's function of the same name, as
// in `return host->fail(exchange, …)`. A number that is not listed, or a verdict without its payload, is a fault of
// the plugin, and fails the exchange or skips the plugin as its configuration says (`onFault`): skipped, what the hook
// edited is undone, and it counts as PLUG_NEXT.
#define PLUG_NEXT 0u
#define PLUG_RESPOND 1u   // on_request, on_response, on_failure
#define PLUG_RESEND 2u    //             on_response, on_failure
#define PLUG_HOLD 3u      // on_request, on_response
#define PLUG_WAIT 4u      // on_request, on_response, on_failure
#define PLUG_FAIL 5u      // on_request, on_response, on_failure
#define PLUG_FAULT 6u     // the plugin's own code broke: see `fault`

// Why a hook runs: the first time, or again.
#define PLUG_FIRST 0u
#define PLUG_WOKEN 1u        // the ticket was woken
#define PLUG_DEADLINE 2u     // nobody woke it in time
#define PLUG_HELD 3u         // the whole body is there: `held_body`
#define PLUG_OVER_LIMIT 4u   // the body is larger than the hold's limit; it is whole again and will flow on

// How a turn closed.
#define PLUG_ENDED 0u        // the body came to its end, or there was none
#define PLUG_REPLACED 1u     // a plugin further out answered in its place
#define PLUG_RESENT 2u       // a plugin further out sent the request again
#define PLUG_FAILED 3u       // no answer, or a broken body
#define PLUG_CANCELLED 4u    // cancelled, timed out as a whole, or not read to its end

// ------------------------------------------------------------------------------------------------ The plugin

// Hooks, as bits of `hooks`. One that is not listed is never called and costs nothing.
#define PLUG_ON_REQUEST 1u
#define PLUG_ON_RESPONSE 2u
#define PLUG_ON_FAILURE 4u
#define PLUG_ON_CLOSE 8u
#define PLUG_ON_EVENT 16u

// Types of options.
#define PLUG_BOOL 1u       // true, false
#define PLUG_INTEGER 2u
#define PLUG_TEXT_TYPE 3u
#define PLUG_DURATION 4u   // "180s": a whole number and ms, s, m, h or d; handed out as nanoseconds
#define PLUG_SIZE 5u       // "16MiB": a whole number and B, KiB, MiB or GiB; handed out as bytes
#define PLUG_LIST 6u       // of texts
#define PLUG_MAP 7u        // of texts to texts

// Flags of options.
#define PLUG_SECRET 1u     // never printed
#define PLUG_REQUIRED 2u   // a setting without which the plugin cannot be created

// A setting (chosen by the configuration) or an attribute (carried by a request as `ID.name`).
typedef struct plug_option_v1 {
    plug_text name;
    uint32_t type;
    uint32_t flags;
    plug_text fallback;        // the default, as the configuration would write it; a list or map as JSON; or nothing
    int64_t minimum;           // of numbers, durations and sizes; of a text's bytes, of a list's or map's count
    int64_t maximum;           // minimum > maximum: no bounds
    plug_text choices;         // of texts: the words allowed, with blanks between; or nothing
    plug_text documentation;   // one line
} plug_option_v1;

// Something one can ask a plugin to do: `plugboard ID NAME`, `kernel.command("ID", "NAME")`.
typedef struct plug_command_v1 {
    plug_text name;
    plug_text arguments;       // a JSON object that names them and says what they are; or nothing
    plug_text documentation;   // one line
} plug_command_v1;

typedef struct plug_host_v1 plug_host_v1;

// The descriptor. Static: it and all it points at stay as long as the process lives.
typedef struct plug_plugin_v1 {
    uint32_t abi_revision;     // PLUG_ABI_REVISION
    uint32_t hooks;            // PLUG_ON_… together
    plug_text id;              // words of letters, digits, `-`, `_`, joined by single `.`; of your own ones in
                               // reverse domain order; neither `kernel` nor with `kernel.` in front
    plug_text version;         // major.minor.patch
    plug_text documentation;   // one line
    int32_t priority;          // 0 to 999: outermost to innermost
    uint32_t reserved;         // 0
    const plug_text *before;   // ids that must stand further in; an unknown one is a warning, unless `?` follows it
    uint64_t before_count;     // (`cache?`: if that plugin is there)
    const plug_text *after;    // ids that must stand further out, in the same way
    uint64_t after_count;
    const plug_text *events;   // ids to be told of; none: all
    uint64_t event_count;
    const plug_option_v1 *settings;
    uint64_t setting_count;
    const plug_option_v1 *attributes;
    uint64_t attribute_count;
    const plug_command_v1 *commands;
    uint64_t command_count;
    void *context;             // the plugin's own; reached through host->plugin

    // On the thread that makes the kernel, like `start`. Makes the instance; settings were checked against the table
    // before. One instance an id. The host lives as long as the instance; of its functions only those of settings,
    // log, clocks, random, counter, data_directory and extension work before `start`: bodies are NULL, no timer starts,
    // and the others return PLUG_WRONG_TIME. Returns NULL if it cannot be, after host->refuse(…); it then frees all
    // that it made, for `stop` and `destroy` are not called.
    void *(*create)(const plug_host_v1 *host, const plug_settings *settings);
    // All plugins are created, and the host works in full. Returns PLUG_OK, or anything else after host->refuse(…);
    // `destroy` then follows without `stop`, and timers may fire until `destroy` is called. May be NULL.
    uint32_t (*start)(void *self);
    // No exchange will come any more. Off the loop; may block for up to `within` nanoseconds. May be NULL.
    void (*stop)(void *self, int64_t within);
    // The last call, off the loop. May be NULL.
    void (*destroy)(void *self);

    // The hooks. [loop]
    uint32_t (*on_request)(void *self, plug_exchange *exchange);
    uint32_t (*on_response)(void *self, plug_exchange *exchange);
    uint32_t (*on_failure)(void *self, plug_exchange *exchange);
    // Once for each turn that was opened at this plugin's place, when that is over; `outcome` is PLUG_ENDED …
    // PLUG_CANCELLED.
    void (*on_close)(void *self, plug_exchange *exchange, uint32_t outcome);
    // `exchange` is NULL for facts about the kernel. Events of sub-requests come to every plugin that listens, also
    // to those that the sub-request does not visit: these see the attributes of the request that it is for.
    void (*on_event)(void *self, plug_exchange *exchange, const plug_event *event);

    // A command of the table, with its arguments as a JSON object. Answered once, now or later, through host->reply_….
    // On a thread of its own: it may block, but has to return once `stop` was called, for `destroy` waits for it. [any]
    void (*command)(void *self, plug_text name, plug_text arguments, plug_reply reply);

    // What this plugin offers beyond revision 1, such as PLUG_ATTRIBUTES, or NULL. May be NULL. [any]
    const void *(*extension)(plug_text id);
} plug_plugin_v1;

// ----------------------------------------------------------------------------------------------- Bodies

// A body that a plugin makes. `context` is released once, after which nothing is called.
typedef struct plug_source_v1 {
    void *context;
    uint64_t length;   // bytes in all, or PLUG_UNKNOWN
    // Asks for the next piece, to be answered once through host->give, end or break_off, now or later, on any thread.
    // Not called again before the answer, nor after the end. [loop]
    void (*PLUG_SENDABLE pull)(void *context, plug_pull pull);
    // Begins again at the first byte and returns PLUG_OK. NULL if that cannot be. [loop]
    uint32_t (*PLUG_SENDABLE rewind)(void *context);
    // The last call, also when a pull is open (whose answer is then PLUG_STALE); never within another call of the
    // plugin's. On the loop; when the loop has ended, at once on the thread that gives the body back, perhaps after
    // `destroy`.
    void (*PLUG_SENDABLE release)(void *context);
} plug_source_v1;

// What a pull of the plugin's own brings; see `pull` below.
#define PLUG_PIECE 0u    // bytes
#define PLUG_END 1u      // the end; `trailers` may hold fields
#define PLUG_BREAK 2u    // no more will come; `code` and `reason` say why
typedef struct plug_piece_v1 {
    uint32_t kind;
    uint32_t reserved;
    plug_text bytes;
    plug_head *trailers;   // NULL if there are none
    plug_text code;
    plug_text reason;
} plug_piece_v1;

// ----------------------------------------------------------------------------------------------- Sub-requests

typedef struct plug_field {
    plug_text name;
    plug_text value;
} plug_field;

// Flags of sub-requests.
#define PLUG_OUTERMOST 1u   // begins at the first plugin; without: just inside the asker
#define PLUG_DETACHED 2u    // outlives its exchange; without: is cancelled with it

// A request of the plugin's own. What it has of the exchange that it is for (its asker's), also when it is detached, if
// that exchange has not ended when it is sent:
//   options      all that the asker's request says of how it is sent, but its `timeout`, for what the sub-request
//                itself leaves open. At another origin without what belongs to the origin: client certificate, key
//                and pins.
//   secrets      fields are secret if the asker's request has a secret field of that name.
//   plugins      the sender, and the plugins that sent the asker's own request, do not take part; neither do those
//                further out, unless it is PLUG_OUTERMOST. Their `on_event` hears of it all the same.
// Not: attributes, fields and the body; the rest of a timeout (but for PLUG_DETACHED the end of the exchange cancels
// it); a suspension: it goes on while its exchange is suspended, and only what it brings waits for the exchange's own
// hook. Sub-requests nest four deep. Connection limits never make one wait.
typedef struct plug_request_v1 {
    plug_text method;
    plug_text url;
    const plug_field *fields;
    uint64_t field_count;
    const plug_text *secrets;       // names of fields that are secret, as after mark_secret
    uint64_t secret_count;
    const plug_field *attributes;   // what it says to plugins (`cache.ttl`)
    uint64_t attribute_count;
    const plug_field *options;      // how it is sent, in the names and words of the configuration's `kernel`: timeout,
    uint64_t option_count;          // connectTimeout, idleTimeout, attemptTimeout, proxy, noProxy, connectTo,
                                    // interface, unixSocket, ipVersion, httpVersion, tls.verify, tls.ca, tls.pins (with
                                    // `;` between them), tls.certificate, tls.key, tls.minimum, speed.download,
                                    // speed.upload
    plug_body *body;                // taken over; NULL for none
    int64_t timeout;                // nanoseconds; 0: the option `timeout`, or else the kernel's
    uint32_t flags;
    uint32_t reserved;
    plug_subrequest *number;        // where to write the number that cancel_send takes, before `answered` runs; or NULL
} plug_request_v1;

// ----------------------------------------------------------------------------------------------- The host

// Log levels.
#define PLUG_LOG_DEBUG 0u
#define PLUG_LOG_INFO 1u
#define PLUG_LOG_WARNING 2u
#define PLUG_LOG_ERROR 3u

// The kernel as one plugin sees it. Good from `create` until `destroy` returns.
struct plug_host_v1 {
    uint32_t abi_revision;
    uint32_t reserved;
    void *kernel;                   // the kernel's own
    const plug_plugin_v1 *plugin;   // the descriptor this host was made for

    // ---- verdicts: return what they return. [loop], in a steering hook

    // Answers in place of what lies further in. Takes `body` over (NULL for none). Fields that set_field would refuse
    // are a fault.
    uint32_t (*respond)(plug_exchange *exchange, uint32_t status, const plug_field *fields, uint64_t count,
        plug_body *body);
    // Answers with the answer of a sub-request, head and body.
    uint32_t (*respond_with)(plug_exchange *exchange, plug_subresponse *answer);
    // Sends the request again, from just inside this plugin, after a delay. What it edits in `request` in this hook
    // goes along; what inner plugins had edited is undone. See `can_resend`.
    uint32_t (*resend)(plug_exchange *exchange, int64_t after);
    // Asks for the whole body, up to `limit` bytes: the hook runs again. What the hook edited before stays. To ask
    // again in that visit is a fault; in a later one (PLUG_WOKEN) the body has to be asked for again.
    uint32_t (*hold)(plug_exchange *exchange, uint64_t limit);
    // What the hook edited before stays: the last of its visits decides whether it counts. Parks the exchange for at
    // most `within` nanoseconds (negative: for ever) and writes the ticket. To return another verdict after all is no
    // fault: the ticket is then stale. Each call begins its time anew.
    uint32_t (*wait)(plug_exchange *exchange, int64_t within, plug_ticket *ticket);
    // Ends the exchange with an error. The code is one word or dotted words (empty, or not of letters, digits, `.`, `-`
    // and `_` alone: `plugin.failed`); the reason says what, where and what to do, and holds no secrets. Control
    // characters in reasons are shown escaped (`\u{1B}`).
    uint32_t (*fail)(plug_exchange *exchange, plug_text code, plug_text reason);
    // For shims: the plugin's code broke (an exception, a panic). What follows is the configuration's word (`onFault`).
    uint32_t (*fault)(plug_exchange *exchange, plug_text reason);

    // ---- the exchange. [loop]

    // Why this hook runs: PLUG_FIRST … PLUG_OVER_LIMIT.
    uint32_t (*visit)(plug_exchange *exchange);
    // A number of this exchange's own in this process; good after the hook, for `publish` and `send`.
    uint64_t (*exchange_id)(plug_exchange *exchange);
    // Attempts so far, the one under way included.
    uint32_t (*attempt)(plug_exchange *exchange);
    // The request as this plugin sees it. It can be edited in on_request, and before `resend`. Never NULL.
    plug_head *(*request)(plug_exchange *exchange);
    // The response, or NULL before there is one. It can be edited in on_response.
    plug_head *(*response)(plug_exchange *exchange);
    // In on_failure, and in on_close after a failure: code and reason. Else PLUG_WRONG_TIME.
    uint32_t (*failure)(plug_exchange *exchange, plug_text *code, plug_text *reason);
    // Whether `resend` would be accepted now: PLUG_OK, or PLUG_WRONG_TIME when a body has begun and cannot be rewound.
    uint32_t (*can_resend)(plug_exchange *exchange);
    // An attribute by its whole name (`cache.ttl`): the request's, else the origin's of the configuration, else
    // {NULL, 0}.
    plug_text (*attribute)(plug_exchange *exchange, plug_text name);
    // Sets the request's. PLUG_NOT_FOUND if the name is no attribute of an enabled plugin, PLUG_BAD_ARGUMENT if the
    // value does not fit that plugin's table, PLUG_TOO_LARGE if all attributes were more than 64 KiB.
    uint32_t (*set_attribute)(plug_exchange *exchange, plug_text name, plug_text value);
    // The URL that `reference` means here (RFC 3986 §5, against the request's URL), normalized; or {NULL, 0}.
    plug_text (*resolve_url)(plug_exchange *exchange, plug_text reference);

    // State of the plugin's own: for one turn (released after its on_close), or for the whole exchange. Setting it
    // again releases what was there. `release` may be NULL; it runs on the loop. A turn's state can be set in any
    // steering hook, and is lost if the hook's verdict opens no turn.
    uint32_t (*set_turn_state)(plug_exchange *exchange, void *state, void (*PLUG_SENDABLE release)(void *state));
    void *(*turn_state)(plug_exchange *exchange);
    uint32_t (*set_exchange_state)(plug_exchange *exchange, void *state, void (*PLUG_SENDABLE release)(void *state));
    void *(*exchange_state)(plug_exchange *exchange);

    // ---- heads. [loop]

    plug_text (*method)(const plug_head *head);   // of requests
    uint32_t (*set_method)(plug_head *head, plug_text method);
    plug_text (*url)(const plug_head *head);      // of requests: as the caller wrote it, or a plugin set it
    uint32_t (*set_url)(plug_head *head, plug_text url);
    uint32_t (*status)(const plug_head *head);    // of responses; 0 of requests
    uint32_t (*set_status)(plug_head *head, uint32_t status);

    uint64_t (*field_count)(const plug_head *head);
    // Returns PLUG_OK, or PLUG_NOT_FOUND from `field_count` on.
    uint32_t (*field_at)(const plug_head *head, uint64_t index, plug_field *field);
    // The first field of a name, in any case; or {NULL, 0}.
    plug_text (*field)(const plug_head *head, plug_text name);
    // Replaces all fields of the name by one.
    uint32_t (*set_field)(plug_head *head, plug_text name, plug_text value);
    // Adds one beside those of the same name.
    uint32_t (*add_field)(plug_head *head, plug_text name, plug_text value);
    uint32_t (*remove_field)(plug_head *head, plug_text name);
    // Fields of this name are never printed, and dropped when a resend goes to another origin.
    uint32_t (*mark_secret)(plug_head *head, plug_text name);
    // 1 if the field at this place is secret.
    uint32_t (*is_secret)(const plug_head *head, uint64_t index);

    // ---- bodies

    // A body made of bytes, which can be rewound. NULL before `start` and when the kernel is gone. [any]
    plug_body *(*body_of_bytes)(const plug_host_v1 *host, plug_bytes bytes);
    // A body made of a source; the struct is copied, its `context` taken over: where it returns NULL, as before
    // `start`, `release` has been called. [any]
    plug_body *(*body_of_source)(const plug_host_v1 *host, const plug_source_v1 *source);
    // Bytes in all, or PLUG_UNKNOWN. [loop]
    uint64_t (*body_length)(const plug_body *body);
    // 1 if `rewind_body` can work. [loop]
    uint32_t (*body_can_rewind)(const plug_body *body);
    // Asks for the next piece. `pulled` runs once, later or at once, with what came; the piece is the kernel's, until
    // `pulled` returns; to keep its bytes, copy them. Not to be called again before, nor after the end. [loop]
    uint32_t (*pull)(plug_body *body, void *context, void (*PLUG_SENDABLE pulled)(void *context,
        const plug_piece_v1 *piece));
    uint32_t (*rewind_body)(plug_body *body);    // [loop]
    void (*release_body)(plug_body *body);       // Gives the body back, once. [any]

    // Answers to a pull of one's own source: bytes; the end, with trailer fields; a break. PLUG_STALE the second time.
    // Trailers that set_field would refuse are PLUG_BAD_ARGUMENT, and break the body off. [any]
    uint32_t (*give)(const plug_host_v1 *host, plug_pull pull, plug_bytes bytes);
    uint32_t (*end)(const plug_host_v1 *host, plug_pull pull, const plug_field *trailers, uint64_t count);
    uint32_t (*break_off)(const plug_host_v1 *host, plug_pull pull, plug_text code, plug_text reason);
    // Answers a pull with a piece that was just pulled, as it is, without a copy. Within `pulled`. [loop]
    uint32_t (*pass)(const plug_host_v1 *host, plug_pull pull, const plug_piece_v1 *piece);

    // The body of the request or the response, to put a source around it: the caller owns it from here on and gives
    // another in its place with `set_…_body` in the same hook. NULL if there is none. Request: on_request; response:
    // on_response. Setting NULL leaves none; the request's body can also be set before `resend`. [loop]
    plug_body *(*take_request_body)(plug_exchange *exchange);
    uint32_t (*set_request_body)(plug_exchange *exchange, plug_body *body);
    plug_body *(*take_response_body)(plug_exchange *exchange);
    uint32_t (*set_response_body)(plug_exchange *exchange, plug_body *body);
    // After PLUG_HELD: the whole body. [loop]
    plug_text (*held_body)(plug_exchange *exchange);

    // ---- waiting. Carries nothing: the hook runs again and decides. PLUG_STALE if the exchange does not wait any
    // more. [any]
    uint32_t (*wake)(const plug_host_v1 *host, plug_ticket ticket);

    // ---- sub-requests. `exchange` is the asker's id, or 0 for none (which must be detached). [any]
    // After PLUG_OK `answered` runs once, on the loop: with a response; or with a failure, as `request.url`,
    // `request.field` and `request.option` for a request that cannot be, and `cancelled` after a cancel. After anything
    // else, as PLUG_WRONG_TIME before `start` and PLUG_STALE when the kernel has ended, it never runs.
    uint32_t (*send)(const plug_host_v1 *host, uint64_t exchange, const plug_request_v1 *request, void *context,
                     void (*PLUG_SENDABLE answered)(void *context, plug_subresponse *answer));
    // Within `answered`, or until release_subresponse of one that was kept. [loop]
    plug_head *(*subresponse_head)(plug_subresponse *answer);      // NULL if it failed
    uint32_t (*subresponse_failure)(plug_subresponse *answer, plug_text *code, plug_text *reason);
    plug_body *(*take_subresponse_body)(plug_subresponse *answer);
    // Keeps it beyond `answered`, until release_subresponse; also where respond_with has taken what it holds.
    void (*keep_subresponse)(plug_subresponse *answer);
    void (*release_subresponse)(plug_subresponse *answer);

    // ---- events

    // Tells a fact under the plugin's own id (`cache.hit`). Fields are its details. `exchange` is 0 for a fact about
    // the kernel, as which one of an exchange that has ended is told too. PLUG_BAD_ARGUMENT for another's id. [any]
    uint32_t (*publish)(const plug_host_v1 *host, uint64_t exchange, plug_text id, const plug_field *details,
        uint64_t count);
    // Within on_event. [loop]
    plug_text (*event_id)(const plug_event *event);
    // A detail as text, or {NULL, 0}; of integers in decimal.
    plug_text (*event_text)(const plug_event *event, plug_text name);
    // A detail as a number: PLUG_OK or PLUG_NOT_FOUND. Durations in nanoseconds.
    uint32_t (*event_integer)(const plug_event *event, plug_text name, int64_t *value);
    // The head that an event is about (`interim`, `headReceived`), or NULL.
    const plug_head *(*event_head)(const plug_event *event);

    // ---- settings. Within create. A name that the table does not list is PLUG_NOT_FOUND.
    // Bool (0 or 1), integer, duration, size.
    uint32_t (*setting_integer)(const plug_settings *settings, plug_text name, int64_t *value);
    // Text as it is; list and map as JSON; others as written.
    uint32_t (*setting_text)(const plug_settings *settings, plug_text name, plug_text *value);
    // Of lists and maps: the item at a place (the name of a list's is empty), PLUG_NOT_FOUND from the last on.
    uint32_t (*setting_item)(const plug_settings *settings, plug_text name, uint64_t index, plug_field *item);
    // Says why create or start cannot be, or what PLUG_ATTRIBUTES refuses, in a sentence.
    void (*refuse)(const plug_host_v1 *host, plug_text reason);

    // ---- services. [any]
    // Control characters are shown escaped, but for line breaks before four blanks: the further lines of a text.
    void (*log)(const plug_host_v1 *host, uint32_t level, plug_text text);
    uint32_t (*log_level)(const plug_host_v1 *host);            // the lowest that is printed
    int64_t (*now)(const plug_host_v1 *host);                   // monotonic
    int64_t (*wall_clock)(const plug_host_v1 *host);            // since 1970-01-01 00:00 UTC
    void (*random)(const plug_host_v1 *host, void *bytes, uint64_t count);   // fit for keys
    // A folder that only this plugin uses, made if it is missing (mode 0700). Good as long as the host. {NULL, 0} if it
    // cannot be.
    plug_text (*data_directory)(const plug_host_v1 *host);
    // Runs `fired` once on the loop, unless the kernel ends before: the context is the plugin's to free, at the latest
    // in `destroy`, after which nothing fires. 0 if it cannot be, as before `start`. cancel_timer: PLUG_STALE if it has
    // run or is running.
    plug_timer (*timer)(const plug_host_v1 *host, int64_t after, void *context,
        void (*PLUG_SENDABLE fired)(void *context));
    uint32_t (*cancel_timer)(const plug_host_v1 *host, plug_timer timer);
    // A number that operators can read; the same name is the same counter.
    plug_counter (*counter)(const plug_host_v1 *host, plug_text name);
    void (*count)(const plug_host_v1 *host, plug_counter counter, int64_t delta);

    // Answers to a command, once: a JSON text, or a body, or a failure. A text that is no JSON is PLUG_BAD_ARGUMENT,
    // and fails the command.
    uint32_t (*reply_json)(const plug_host_v1 *host, plug_reply reply, plug_text json);
    uint32_t (*reply_body)(const plug_host_v1 *host, plug_reply reply, plug_body *body);
    uint32_t (*reply_failed)(const plug_host_v1 *host, plug_reply reply, plug_text code, plug_text reason);

    // What the kernel offers beyond revision 1: a table of functions by its id ("plugboard.timer/1"), or NULL.
    const void *(*extension)(const plug_host_v1 *host, plug_text id);

    // ---- attributes one by one, and cancelling

    // The attributes that there are, one by one, in the order of their names: PLUG_OK, or PLUG_NOT_FOUND from the last
    // on. set_attribute may change the order. [loop]
    uint32_t (*attribute_at)(plug_exchange *exchange, uint64_t index, plug_field *attribute);
    // Cancels a sub-request that has not been answered: `answered` still runs once, later, with the failure
    // `cancelled`, or with what came at the same time. PLUG_STALE if it has run or is running: then give the answer's
    // body back instead. [any]
    uint32_t (*cancel_send)(const plug_host_v1 *host, plug_subrequest number);
};

// -------------------------------------------------------------------------------------------- Extensions

// An extension of plugins, whose `extension` returns a static plug_attributes_v1 for this id. A draft: it may change as
// long as no release has it.
#define PLUG_ATTRIBUTES "plugboard.attributes/1"

// Judges attributes together; each alone was checked against the table before.
typedef struct plug_attributes_v1 {
    // After `create` and before `start`, on the same thread, once for each origin to whose requests the configuration
    // gives attributes of this plugin, unless it switches the plugin off for them. The fields are these attributes
    // under their whole names (`ID.name`), owned by the kernel until the call returns. Of the host's functions those
    // of `create` work. Returns PLUG_OK, or anything else after host->refuse(…), whose sentence must hold no secrets:
    // the kernel then does not start. What a request says itself is not checked here, but by the hooks. May be NULL.
    uint32_t (*check)(void *self, const plug_field *attributes, uint64_t count);
} plug_attributes_v1;

// ------------------------------------------------------------------------------------------- For authors

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
#define PLUG_RETAIN , retain   // also from a linker that drops what nothing refers to
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
// `id` and `version` are literals, and the same as in the descriptor.
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
