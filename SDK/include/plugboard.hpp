// plugboard.hpp: plugboard.h for C++17. A plugin is a class; what it throws is caught at the border.
//
//     class Hello {
//     public:
//         Hello(plugboard::Host host, plugboard::Settings settings);          // what it throws refuses to start
//         plugboard::Verdict on_request(plugboard::Exchange &exchange);       // a hook is called if the class has it
//     };
//     PLUGBOARD_METADATA(hello, "com.example.hello", "1.0.0");
//     PLUGBOARD_PLUGIN(hello) plugboard::Manifest<Hello>("com.example.hello", "1.0.0").priority(300);
//
// A class may have: start(), stop(within), on_request, on_response, on_failure, on_close(exchange, outcome),
// on_event(event, exchange or nullptr), command(name, arguments, reply), check(attributes), service(id). Each is found
// by its name.
//
//   check(const Fields &attributes) checks together the attributes that the configuration gives to requests to one
//   origin, under their whole names (`ID.name`): once for each such origin, after the constructor and before start().
//   What it throws refuses the configuration; the text must hold no secrets.
//
//   service(std::string_view id) returns a `const void *`: the table of a service that Manifest::provides lists, valid
//   as long as the object. Called once for each after start().
//
//   What a hook throws is a fault of the plugin; the configuration says what follows (`onFault`). To fail an exchange
//   on purpose, return exchange.fail(code, reason). What is thrown elsewhere breaks the body, fails the command, or is
//   logged: no exception crosses into the kernel.
//   Threads, lifetimes and numbers are those of plugboard.h; views are valid as long as the texts there.
//   What is missing here is reached through `raw()`.

#ifndef PLUGBOARD_HPP
#define PLUGBOARD_HPP

#include "plugboard.h"

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace plugboard {

using Duration = std::chrono::nanoseconds;
using Fields = std::vector<std::pair<std::string, std::string>>;

inline plug_text text(std::string_view view) noexcept { return plug_make_text(view.data(), view.size()); }
inline std::string_view view(plug_text text) noexcept {
    return text.bytes == nullptr ? std::string_view() : std::string_view(text.bytes, text.count);
}
inline std::optional<std::string_view> optional_view(plug_text text) noexcept {
    if (text.bytes == nullptr) return std::nullopt;
    return view(text);
}

// A function of the host returned something else than PLUG_OK.
class Error : public std::runtime_error {
public:
    Error(std::string_view function, plug_result code)
        : std::runtime_error(std::string(function) + " returned " + std::to_string(code)), code_(code) {}
    plug_result code() const noexcept { return code_; }

private:
    plug_result code_;
};

namespace detail {

inline void check(std::string_view function, plug_result code) {
    if (code != PLUG_OK) throw Error(function, code);
}

inline std::vector<plug_field> raw(const Fields &fields) {
    std::vector<plug_field> raw;
    raw.reserve(fields.size());
    for (const auto &field : fields) raw.push_back({text(field.first), text(field.second)});
    return raw;
}

// A pull or a reply that the plugin has to complete.
struct Owed {
    static constexpr std::string_view lost = "The plugin gave no result; if it broke, its log says how.";
    const plug_host_v1 *host;
    bool is_pull;
    uint64_t number;
    void fail(std::string_view reason) const noexcept {
        if (is_pull) {
            host->pull_fail(host, number, PLUG_TEXT("plugin.fault"), text(reason));
        } else {
            host->reply_fail(host, number, PLUG_TEXT("command.failed"), text(reason));
        }
    }
};

// A call of the kernel that this thread is in. Pulls and replies that an exception destroys are completed when it is
// known what was thrown.
class Barrier {
public:
    Barrier() noexcept : outer_(std::exchange(innermost, this)) {}
    Barrier(const Barrier &) = delete;
    Barrier &operator=(const Barrier &) = delete;
    ~Barrier() {
        innermost = outer_;
        // The plugin has caught the exception that destroyed them.
        fail(Owed::lost);
    }
    void fail(std::string_view reason) noexcept {
        for (const auto &owed : std::exchange(left_, {})) owed.fail(reason);
    }
    // A pull or a reply is destroyed before it was completed; `exceptions` were under way when it was made.
    static void drop(Owed owed, int exceptions) noexcept {
        try {
            if (innermost != nullptr && std::uncaught_exceptions() > exceptions) {
                innermost->left_.push_back(owed);
                return;
            }
        } catch (...) {
        }
        owed.fail(Owed::lost);
    }

private:
    static thread_local Barrier *innermost;
    std::vector<Owed> left_;
    Barrier *outer_;
};
inline thread_local Barrier *Barrier::innermost = nullptr;

// Calls `body`, and `caught` with a sentence if that throws.
template <class Body, class Caught> auto guarded(Body body, Caught caught) noexcept -> decltype(body()) {
    Barrier barrier;
    try {
        return body();
    } catch (const std::exception &error) {
        barrier.fail(error.what());
        return caught(std::string_view(error.what()));
    } catch (...) {
        std::string_view what = "it threw an object that is not a std::exception";
        barrier.fail(what);
        return caught(what);
    }
}

template <class State> void destroy(void *state) noexcept { delete static_cast<State *>(state); }

// The closures of the timers of all instances. The kernel holds only their numbers, and hands one back when its timer
// is due. Closures whose timers are not due when their instance is destroyed are freed here. [any]
class Pending {
public:
    struct Job {
        virtual ~Job() = default;
        virtual void run() = 0;
    };

    static Pending &shared() {
        // Never destroyed: when the process ends, a loop may still be running.
        static Pending &pending = *new Pending;
        return pending;
    }
    uintptr_t add(const plug_host_v1 *host, std::unique_ptr<Job> job) {
        std::lock_guard<std::mutex> guard(lock_);
        jobs_.emplace(++last_, Entry{host, std::move(job)});
        return last_;
    }
    // Empty if it was taken before.
    std::unique_ptr<Job> take(uintptr_t number) noexcept {
        std::lock_guard<std::mutex> guard(lock_);
        auto found = jobs_.find(number);
        if (found == jobs_.end()) return nullptr;
        auto job = std::move(found->second.job);
        jobs_.erase(found);
        return job;
    }
    void drop(const plug_host_v1 *host) noexcept {
        // Declared before the guard, so that it is destroyed after it: its destructor may use timers.
        decltype(jobs_) dropped;
        std::lock_guard<std::mutex> guard(lock_);
        for (auto entry = jobs_.begin(); entry != jobs_.end();) {
            auto next = std::next(entry);
            if (entry->second.host == host) dropped.insert(jobs_.extract(entry));
            entry = next;
        }
    }

private:
    struct Entry {
        const plug_host_v1 *host;
        std::unique_ptr<Job> job;
    };
    std::mutex lock_;
    std::unordered_map<uintptr_t, Entry> jobs_;
    uintptr_t last_ = 0;
};

}  // namespace detail

// ------------------------------------------------------------------------------------------------ The host

class Bytes;
class Counter;
class Gauge;
class Histogram;
class Timer;
class Watch;
class SubRequest;
struct Request;

// A metric as it is now.
struct Metric {
    std::string name;                // `ID.name`
    Fields labels;                   // in the order of their names
    plug_metric_kind kind;           // PLUG_METRIC_…
    int64_t value;                   // of a counter and a gauge; of a histogram the sum of its values
    std::vector<int64_t> bounds;     // of a histogram
    std::vector<uint64_t> counts;    // of a histogram: up to each bound, and above all
};

// The parts of a URL as they are written, within the text that was given.
struct UrlParts {
    std::string_view scheme;
    std::optional<std::string_view> userinfo;
    std::string_view host;   // an IPv6 address with its brackets
    std::string_view path;
    std::optional<std::string_view> query;      // without `?`
    std::optional<std::string_view> fragment;   // without `#`
    uint32_t port;           // the one of the scheme where none is written
};

// An option that a request itself has.
struct RequestOption {
    std::string name;
    std::string value;
    bool is_secret;   // such as a proxy with a password
};

// The kernel as this plugin sees it; a copy is the same. Valid as long as the instance. [any]
class Host {
public:
    explicit Host(const plug_host_v1 *raw) noexcept : raw_(raw) {}
    const plug_host_v1 *raw() const noexcept { return raw_; }

    // The kernel's: major.minor.patch.
    std::string_view kernel_version() const noexcept { return view(raw_->version); }
    void log(plug_log_level level, std::string_view line) const noexcept { raw_->log(raw_, level, text(line)); }
    bool prints(plug_log_level level) const noexcept { return level >= raw_->log_level(raw_); }
    Duration now() const noexcept { return Duration(raw_->now(raw_)); }
    Duration wall_clock() const noexcept { return Duration(raw_->wall_clock(raw_)); }
    void random(void *bytes, size_t count) const noexcept { raw_->random(raw_, bytes, count); }
    // Empty if it cannot be made.
    std::optional<std::string_view> data_directory() const noexcept {
        return optional_view(raw_->data_directory(raw_));
    }
    // The folder where relative paths begin that the configuration gives, in settings and in attributes. Empty if it is
    // gone.
    std::optional<std::string_view> configuration_directory() const noexcept {
        return optional_view(raw_->configuration_directory(raw_));
    }
    // The path of the folder that `data_directory` is when the plugin is started; it may not exist. For `create`, which
    // a check of a configuration calls, too: read there, and never write.
    std::optional<std::string_view> data_path() const noexcept {
        return optional_view(raw_->data_path(raw_));
    }
    // Whether the plugin begins nothing by itself: the program was started for one of its commands that have
    // PLUG_COMMAND_QUIET.
    bool is_quiet() const noexcept { return (raw_->flags & PLUG_HOST_QUIET) != 0; }
    // The loop on which this is called; 0 on other threads. A kernel may have several loops, and each exchange, with
    // its bodies, is on one of them: threads of the plugin get back to it with `after(Duration(0), fired, loop)`.
    plug_loop current_loop() const noexcept { return raw_->current_loop(raw_); }
    // A counter, which operators read as `ID.name`. The same name and labels are the same counter. A plugin has at most
    // 2000 metrics; what is beyond counts nothing, and so does a name that is another kind of metric already.
    Counter counter(std::string_view name, const Fields &labels = {}) const;
    // A gauge, in the same way.
    Gauge gauge(std::string_view name, const Fields &labels = {}) const;
    // A histogram, in the same way, with 1 to 64 rising bounds.
    Histogram histogram(
        std::string_view name, const std::vector<int64_t> &bounds, const Fields &labels = {}) const;
    // The metrics of all plugins and of the kernel, in the order of their names: for exporters.
    std::vector<Metric> metrics() const;
    // Empty for a text that is no absolute http or https URL.
    std::optional<UrlParts> url_parts(std::string_view url) const noexcept {
        plug_url_parts_v1 parts = {};
        if (raw_->url_parts(text(url), &parts) != PLUG_OK) return std::nullopt;
        return UrlParts{view(parts.scheme), optional_view(parts.userinfo), view(parts.host), view(parts.path),
            optional_view(parts.query), optional_view(parts.fragment), parts.port};
    }
    // The service of an id that Manifest::needs lists, from start() on; its id says what `Table` is. nullptr for
    // another id, and for one with `?` that no plugin provides. Valid as long as the instance.
    template <class Table> const Table *service(std::string_view id) const noexcept {
        return static_cast<const Table *>(raw_->service(raw_, text(id)));
    }
    // Keeps the bytes of a piece, without a copy, for one more reader. Within what Body::pull calls; elsewhere it
    // throws Error.
    Bytes keep(const plug_piece_v1 &piece) const;
    // Lets a waiting hook run again; false if it does not wait any more.
    bool wake(plug_ticket ticket) const noexcept { return raw_->wake(raw_, ticket) == PLUG_OK; }
    void publish(std::string_view id, plug_exchange_id exchange = 0, const Fields &details = {}) const {
        auto fields = detail::raw(details);
        detail::check("publish_event", raw_->publish_event(raw_, exchange, text(id), fields.data(), fields.size()));
    }

    // Calls `fired()` once on a loop, after a time, unless the timer is cancelled or the instance is destroyed before:
    // on `loop`, from `current_loop`; without it on the loop where this is called, and on other threads on the first.
    // Works from start() on; before that it never calls.
    template <class Fired> Timer after(Duration delay, Fired fired, plug_loop loop = 0) const;

    // Watches a descriptor that the plugin has opened and that does not block (O_NONBLOCK), on `loop`, as in `after`:
    // calls `ready(Watch, plug_readiness)` there as long as the descriptor is ready for some of `wanted`. What that
    // throws is logged and ends the watch. `released()` is the last call, after Watch::cancel, after the plugin is
    // switched off and at the kernel's end: it closes the descriptor. Empty, with nothing called, before start() and
    // when the kernel has ended. [any]
    template <class Ready, class Released>
    std::optional<Watch> watch(
        int descriptor, plug_readiness wanted, Ready ready, Released released, plug_loop loop = 0) const;

    // Calls `work()` on a thread where it may block, and then `done()` on `loop`, as in `after`; each once, also if
    // `work` throws. What they throw is logged. Throws Error, with nothing called, before start() and from stop() on.
    // [any]
    template <class Work, class Done> void run_blocking(Work work, Done done, plug_loop loop = 0) const;

    // Sends a request of the plugin's own, for the exchange with this id, or for none (0): then it must be detached.
    // Calls `completed(SubResponse)` once, on the loop, also when it is cancelled. Throws Error where it cannot be
    // sent. What it takes from the exchange: see plug_subrequest_v1 in plugboard.h. [any]
    template <class Completed> SubRequest send(Request request, plug_exchange_id exchange, Completed completed) const;

private:
    plug_metric metric(plug_metric_kind kind, std::string_view name, const Fields &labels,
        const std::vector<int64_t> &bounds = {}) const {
        auto fields = detail::raw(labels);
        return raw_->metric(
            raw_, kind, text(name), fields.data(), fields.size(), bounds.data(), bounds.size());
    }
    const plug_host_v1 *raw_;
};

// A number that operators can read; a copy is the same. Without a name nothing is counted. [any]
class Counter {
public:
    Counter() noexcept = default;
    Counter(Host host, plug_metric number) noexcept : host_(host.raw()), number_(number) {}

    void add(int64_t delta = 1) const noexcept {
        if (host_ != nullptr) host_->metric_add(host_, number_, delta);
    }

private:
    const plug_host_v1 *host_ = nullptr;
    plug_metric number_ = 0;
};

// A number that rises and falls. [any]
class Gauge {
public:
    Gauge() noexcept = default;
    Gauge(Host host, plug_metric number) noexcept : host_(host.raw()), number_(number) {}

    void add(int64_t delta) const noexcept {
        if (host_ != nullptr) host_->metric_add(host_, number_, delta);
    }
    void set(int64_t value) const noexcept {
        if (host_ != nullptr) host_->metric_set(host_, number_, value);
    }

private:
    const plug_host_v1 *host_ = nullptr;
    plug_metric number_ = 0;
};

// How often values were within bounds. [any]
class Histogram {
public:
    Histogram() noexcept = default;
    Histogram(Host host, plug_metric number) noexcept : host_(host.raw()), number_(number) {}

    void observe(int64_t value) const noexcept {
        if (host_ != nullptr) host_->metric_observe(host_, number_, value);
    }
    // A time, in nanoseconds.
    void observe(Duration time) const noexcept { observe(time.count()); }

private:
    const plug_host_v1 *host_ = nullptr;
    plug_metric number_ = 0;
};

inline Counter Host::counter(std::string_view name, const Fields &labels) const {
    return Counter(*this, metric(PLUG_METRIC_COUNTER, name, labels));
}
inline Gauge Host::gauge(std::string_view name, const Fields &labels) const {
    return Gauge(*this, metric(PLUG_METRIC_GAUGE, name, labels));
}
inline Histogram Host::histogram(
    std::string_view name, const std::vector<int64_t> &bounds, const Fields &labels) const {
    return Histogram(*this, metric(PLUG_METRIC_HISTOGRAM, name, labels, bounds));
}

inline std::vector<Metric> Host::metrics() const {
    struct Reading {
        Host host;
        std::vector<Metric> metrics;
    } reading{*this, {}};
    raw_->read_metrics(raw_, &reading, [](void *context, const plug_metric_v1 *raw) noexcept {
        auto reading = static_cast<Reading *>(context);
        detail::guarded(
            [&] {
                Metric metric{std::string(view(raw->name)), {}, raw->kind, raw->value, {}, {}};
                for (uint64_t index = 0; index < raw->label_count; index++) {
                    metric.labels.emplace_back(view(raw->labels[index].name), view(raw->labels[index].value));
                }
                if (raw->kind == PLUG_METRIC_HISTOGRAM) {
                    metric.bounds.assign(raw->bounds, raw->bounds + raw->bound_count);
                    metric.counts.assign(raw->counts, raw->counts + raw->bound_count + 1);
                }
                reading->metrics.push_back(std::move(metric));
            },
            [&](std::string_view what) { reading->host.log(PLUG_LOG_ERROR, what); });
    });
    return std::move(reading.metrics);
}

// A timer that was started; a copy is the same. The timer does not depend on this object. [any]
class Timer {
public:
    Timer(Host host, plug_timer number, uintptr_t pending) noexcept
        : host_(host.raw()), number_(number), pending_(pending) {}

    // Returns false if it has run or is running.
    bool cancel() noexcept {
        if (host_->cancel_timer(host_, number_) != PLUG_OK) return false;
        detail::Pending::shared().take(pending_);
        return true;
    }

private:
    const plug_host_v1 *host_;
    plug_timer number_;
    uintptr_t pending_;
};

// A descriptor that is watched; a copy is the same. The watch does not depend on this object. [any]
class Watch {
public:
    Watch(Host host, plug_watch number) noexcept : host_(host.raw()), number_(number) {}

    // Watches for this (PLUG_READY_…) from here on; 0: for nothing. Returns false once it is not watched any more.
    bool change(plug_readiness wanted) const noexcept { return host_->rewatch(host_, number_, wanted) == PLUG_OK; }
    // `released` follows, never within this call. Returns false the second time.
    bool cancel() const noexcept { return host_->unwatch(host_, number_) == PLUG_OK; }

private:
    const plug_host_v1 *host_;
    plug_watch number_;
};

// A sub-request under way; a copy is the same. The sub-request does not depend on this object. [any]
class SubRequest {
public:
    SubRequest(Host host, plug_subrequest_id id) noexcept : host_(host.raw()), id_(id) {}

    // `completed` is still called once, with the failure `cancelled`, or with what came at the same time. Returns false
    // if it was called already.
    bool cancel() noexcept { return host_->cancel_subrequest(host_, id_) == PLUG_OK; }

private:
    const plug_host_v1 *host_;
    plug_subrequest_id id_;
};

template <class Fired> Timer Host::after(Duration delay, Fired fired, plug_loop loop) const {
    struct Job : detail::Pending::Job {
        Job(Host host, Fired fired) : host(host), fired(std::move(fired)) {}
        void run() override {
            detail::guarded([&] { fired(); }, [&](std::string_view what) { host.log(PLUG_LOG_ERROR, what); });
        }
        Host host;
        Fired fired;
    };
    auto pending = detail::Pending::shared().add(raw_, std::make_unique<Job>(*this, std::move(fired)));
    plug_timer_function run = [](void *context) noexcept {
        auto job = detail::Pending::shared().take(reinterpret_cast<uintptr_t>(context));
        if (job != nullptr) job->run();
    };
    auto number = raw_->start_timer(raw_, loop, delay.count(), reinterpret_cast<void *>(pending), run);
    if (number == 0) {
        detail::Pending::shared().take(pending);
        log(PLUG_LOG_ERROR, "A timer was not started: timers work from start() on, until the kernel ends.");
    }
    return Timer(*this, number, pending);
}

template <class Ready, class Released>
std::optional<Watch> Host::watch(
    int descriptor, plug_readiness wanted, Ready ready, Released released, plug_loop loop) const {
    struct Call {
        Host host;
        Ready ready;
        Released released;
    };
    auto call = std::make_unique<Call>(Call{*this, std::move(ready), std::move(released)});
    auto number = raw_->watch(
        raw_, loop, descriptor, wanted, call.get(),
        [](void *context, plug_watch number, plug_readiness ready) noexcept {
            auto &call = *static_cast<Call *>(context);
            Watch watch(call.host, number);
            detail::guarded([&] { call.ready(watch, ready); },
                [&](std::string_view what) {
                    call.host.log(PLUG_LOG_ERROR, what);
                    watch.cancel();   // the descriptor stays ready, so it would throw again without end
                });
        },
        [](void *context) noexcept {
            std::unique_ptr<Call> call(static_cast<Call *>(context));
            detail::guarded([&] { call->released(); },
                [&](std::string_view what) { call->host.log(PLUG_LOG_ERROR, what); });
        });
    if (number == 0) return std::nullopt;
    call.release();   // to the kernel, which has released it already where the watch has ended
    return Watch(*this, number);
}

template <class Work, class Done> void Host::run_blocking(Work work, Done done, plug_loop loop) const {
    struct Call {
        Host host;
        Work work;
        Done done;
    };
    auto call = std::make_unique<Call>(Call{*this, std::move(work), std::move(done)});
    auto code = raw_->run_blocking(
        raw_, loop, call.get(),
        [](void *context) noexcept {
            auto call = static_cast<Call *>(context);
            detail::guarded([&] { call->work(); },
                [&](std::string_view what) { call->host.log(PLUG_LOG_ERROR, what); });
        },
        [](void *context) noexcept {
            std::unique_ptr<Call> call(static_cast<Call *>(context));
            Host host = call->host;
            detail::guarded(
                [&] {
                    // Its captures are destroyed with the exception.
                    auto own = std::move(call);
                    own->done();
                },
                [&](std::string_view what) { host.log(PLUG_LOG_ERROR, what); });
        });
    if (code != PLUG_OK) throw Error("run_blocking", code);
    call.release();
}

// The plugin's settings, checked against its table. Valid within the constructor.
class Settings {
public:
    Settings(Host host, const plug_settings *raw) noexcept : host_(host.raw()), raw_(raw) {}

    // A bool (0 or 1), an integer, or a size in bytes.
    int64_t integer(std::string_view name) const {
        int64_t value = 0;
        detail::check(name, host_->setting_integer(raw_, text(name), &value));
        return value;
    }
    bool boolean(std::string_view name) const { return integer(name) != 0; }
    Duration duration(std::string_view name) const { return Duration(integer(name)); }
    std::string string(std::string_view name) const {
        plug_text value = {};
        detail::check(name, host_->setting_text(raw_, text(name), &value));
        return std::string(view(value));
    }
    // The items of a list (their names are empty) or a map.
    Fields items(std::string_view name) const {
        Fields items;
        plug_field item = {};
        for (uint64_t index = 0; host_->setting_item(raw_, text(name), index, &item) == PLUG_OK; index++) {
            items.emplace_back(view(item.name), view(item.value));
        }
        return items;
    }

private:
    const plug_host_v1 *host_;
    const plug_settings *raw_;
};

// ------------------------------------------------------------------------------------------------ Bodies

// Bytes of the kernel's that this object holds for one reader. Used and destroyed on any thread, also after the
// instance.
class Bytes {
public:
    explicit Bytes(plug_bytes raw) noexcept : raw_(raw) {}
    Bytes(Bytes &&other) noexcept : raw_(other.release()) {}
    Bytes &operator=(Bytes &&other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Bytes() {
        if (raw_.release != nullptr) raw_.release(raw_.context);
    }
    std::string_view view() const noexcept { return {static_cast<const char *>(raw_.bytes), raw_.count}; }
    // Gives up ownership: the caller then hands them over or releases them.
    plug_bytes release() noexcept { return std::exchange(raw_, {}); }

private:
    plug_bytes raw_;
};

inline Bytes Host::keep(const plug_piece_v1 &piece) const {
    plug_bytes bytes = {};
    detail::check("piece_keep", raw_->piece_keep(raw_, &piece, &bytes));
    return Bytes(bytes);
}

// The pull of a source's next piece, to be completed once, from any thread. One that is destroyed before it is
// completed breaks the body off, so that the reader does not wait without end.
class Pull {
public:
    Pull(Host host, plug_pull number) noexcept : host_(host.raw()), number_(number) {}
    Pull(Pull &&other) noexcept : host_(std::exchange(other.host_, nullptr)), number_(other.number_) {}
    Pull &operator=(Pull &&) = delete;
    ~Pull() {
        if (host_ != nullptr) detail::Barrier::drop({host_, true, number_}, exceptions_);
    }

    void give(std::string_view bytes) noexcept {
        if (auto host = take_host()) host->pull_give(host, number_, {bytes.data(), bytes.size(), nullptr, nullptr});
    }
    // The same without a copy: the kernel keeps the string.
    void give(std::unique_ptr<std::string> bytes) noexcept {
        auto host = take_host();
        if (host == nullptr) return;
        plug_bytes raw = {bytes->data(), bytes->size(), detail::destroy<std::string>, bytes.get()};
        bytes.release();
        host->pull_give(host, number_, raw);
    }
    // Bytes that were kept, in the same way.
    void give(Bytes bytes) noexcept {
        if (auto host = take_host()) host->pull_give(host, number_, bytes.release());
    }
    void end(const Fields &trailers = {}) {
        auto fields = detail::raw(trailers);
        if (auto host = take_host()) host->pull_end(host, number_, fields.data(), fields.size());
    }
    // Completes the pull with an error, which breaks the body.
    void fail(std::string_view code, std::string_view reason) noexcept {
        if (auto host = take_host()) host->pull_fail(host, number_, text(code), text(reason));
    }
    // The piece that was just pulled from another body, without a copy. Within what that calls.
    void forward(const plug_piece_v1 &piece) noexcept {
        if (auto host = take_host()) host->pull_forward(host, number_, &piece);
    }

private:
    const plug_host_v1 *take_host() noexcept { return std::exchange(host_, nullptr); }
    const plug_host_v1 *host_;
    plug_pull number_;
    int exceptions_ = std::uncaught_exceptions();
};

// A body that a plugin makes.
class Source {
public:
    virtual ~Source() = default;
    // Bytes in all, or PLUG_LENGTH_UNKNOWN.
    virtual uint64_t length() const { return PLUG_LENGTH_UNKNOWN; }
    // Completes `pull`, now or later. What it throws breaks the body off. [loop]
    virtual void pull(Pull pull) = 0;
    // Whether it can begin again, and does so. [loop]
    virtual bool can_rewind() const { return false; }
    virtual void rewind() {}
};

// A body that this object owns, and gives back when it is destroyed.
class Body {
public:
    Body() noexcept = default;
    Body(Host host, plug_body *raw) noexcept : host_(host.raw()), raw_(raw) {}
    Body(Body &&other) noexcept : host_(other.host_), raw_(std::exchange(other.raw_, nullptr)) {}
    Body &operator=(Body &&other) noexcept {
        std::swap(host_, other.host_);
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~Body() {
        if (raw_ != nullptr) host_->body_release(raw_);
    }

    // Made of bytes. [any]
    static Body of(Host host, std::string bytes) {
        return of(host, std::make_shared<const std::string>(std::move(bytes)));
    }
    // Made of bytes that several bodies share, without a copy. [any]
    static Body of(Host host, std::shared_ptr<const std::string> bytes) {
        using Kept = std::shared_ptr<const std::string>;
        auto kept = std::make_unique<Kept>(std::move(bytes));
        plug_bytes raw = {(*kept)->data(), (*kept)->size(), detail::destroy<Kept>, kept.get()};
        kept.release();
        return Body(host, host.raw()->body_of_bytes(host.raw(), raw));
    }
    // Made of a source. [any]
    static Body of(Host host, std::unique_ptr<Source> source) {
        auto kept = std::make_unique<Exported>(Exported{host, std::move(source)});
        plug_source_v1 raw = {};
        raw.length = kept->source->length();
        raw.pull = [](void *context, plug_pull number) noexcept {
            auto exported = static_cast<Exported *>(context);
            Host host = exported->host;
            detail::guarded([&] { exported->source->pull(Pull(host, number)); },
                [&](std::string_view what) { host.log(PLUG_LOG_ERROR, what); });
        };
        if (kept->source->can_rewind()) {
            raw.rewind = [](void *context) noexcept {
                return detail::guarded([&] { return static_cast<Exported *>(context)->source->rewind(), PLUG_OK; },
                    [](std::string_view) { return PLUG_UNSUPPORTED; });
            };
        }
        raw.release = detail::destroy<Exported>;
        raw.context = kept.release();
        return Body(host, host.raw()->body_of_source(host.raw(), &raw));
    }

    explicit operator bool() const noexcept { return raw_ != nullptr; }
    plug_body *raw() const noexcept { return raw_; }
    Host host() const noexcept { return Host(host_); }
    // Gives up ownership: the caller then owns the body.
    plug_body *release() noexcept { return std::exchange(raw_, nullptr); }

    uint64_t length() const noexcept { return host_->body_length(raw_); }
    bool can_rewind() const noexcept { return host_->body_can_rewind(raw_) == 1; }
    bool rewind() noexcept { return host_->body_rewind(raw_) == PLUG_OK; }
    // Calls `pulled(const plug_piece_v1 &)` once with the next piece, which is valid until that returns. If it throws,
    // a Pull that it has captured breaks off with what was thrown. [loop]
    template <class Pulled> void pull(Pulled pulled) {
        struct Call {
            Host host;
            Pulled pulled;
        };
        auto call = std::make_unique<Call>(Call{Host(host_), std::move(pulled)});
        plug_result code = host_->body_pull(raw_, call.get(), [](void *context, const plug_piece_v1 *piece) noexcept {
            std::unique_ptr<Call> call(static_cast<Call *>(context));
            Host host = call->host;
            detail::guarded(
                [&] {
                    // Its captures are destroyed with the exception.
                    auto own = std::move(call);
                    own->pulled(*piece);
                },
                [&](std::string_view what) { host.log(PLUG_LOG_ERROR, what); });
        });
        if (code == PLUG_OK) {
            call.release();
        } else {
            throw Error("body_pull", code);
        }
    }

private:
    struct Exported {
        Host host;
        std::unique_ptr<Source> source;
    };
    const plug_host_v1 *host_ = nullptr;
    plug_body *raw_ = nullptr;
};

// ------------------------------------------------------------------------------------------------ Exchanges

// The head of a request or a response, read and edited in place. Valid until the hook returns. [loop]
class Head {
public:
    Head(Host host, plug_head *raw) noexcept : host_(host.raw()), raw_(raw) {}
    plug_head *raw() const noexcept { return raw_; }

    std::string_view method() const noexcept { return view(host_->method(raw_)); }
    void set_method(std::string_view method) { detail::check("set_method", host_->set_method(raw_, text(method))); }
    std::string_view url() const noexcept { return view(host_->url(raw_)); }
    void set_url(std::string_view url) { detail::check("set_url", host_->set_url(raw_, text(url))); }
    uint32_t status() const noexcept { return host_->status(raw_); }
    void set_status(uint32_t status) { detail::check("set_status", host_->set_status(raw_, status)); }

    // The first field of a name, in any case.
    std::optional<std::string_view> field(std::string_view name) const noexcept {
        return optional_view(host_->field(raw_, text(name)));
    }
    // Replaces all of the name.
    void set_field(std::string_view name, std::string_view value) {
        detail::check("set_field", host_->set_field(raw_, text(name), text(value)));
    }
    void add_field(std::string_view name, std::string_view value) {
        detail::check("add_field", host_->add_field(raw_, text(name), text(value)));
    }
    void remove_field(std::string_view name) noexcept { host_->remove_field(raw_, text(name)); }
    // Never printed, and dropped when a resend goes to another origin.
    void mark_secret(std::string_view name) { detail::check("mark_secret", host_->mark_secret(raw_, text(name))); }
    // Whether the field at this index of `fields()` is secret.
    bool is_secret(size_t index) const noexcept { return host_->is_secret(raw_, index) == 1; }
    // A copy of all, in order.
    Fields fields() const {
        Fields fields;
        constexpr uint64_t room = 32;
        plug_head_field_v1 found[room];
        for (uint64_t count = room; count == room;) {
            count = host_->read_fields(raw_, fields.size(), found, room);
            for (uint64_t index = 0; index < count; index++) {
                fields.emplace_back(view(found[index].name), view(found[index].value));
            }
        }
        return fields;
    }

private:
    const plug_host_v1 *host_;
    plug_head *raw_;
};

// ------------------------------------------------------------------------------------------------ Sub-requests

// A request of the plugin's own: see Host::send.
struct Request {
    // Empty: GET, or with `is_like_exchange` the method of the exchange's request.
    std::string method = {};
    std::string url = {};
    Fields fields = {};
    // Attributes for plugins (`cache.mode`); none are inherited.
    Fields attributes = {};
    Body body = {};
    // Zero: the kernel's timeout.
    Duration timeout = Duration::zero();
    // Begins at the first plugin, and not just inside this one.
    bool is_outermost = false;
    // Goes on when its exchange ends.
    bool is_detached = false;
    // Begins as a copy of the exchange's request without its body; what is given here stands in for that.
    bool is_like_exchange = false;
    // Names of fields that are secret, as with mark_secret.
    std::vector<std::string> secrets = {};
    // How it is sent, in the names and words of the configuration's `kernel` (`connectTimeout`, `tls.ca`).
    Fields options = {};
};

// A response that was read whole, or why it was not: then `code` is not empty.
struct Collected {
    std::string bytes;
    std::string code;
    std::string reason;
    // 0 without a response; with the head's fields.
    uint32_t status = 0;
    Fields fields = {};
    explicit operator bool() const noexcept { return code.empty(); }
};

// The outcome of a sub-request, kept until this object is destroyed. Used on the loop; moved and destroyed on any
// thread.
class SubResponse {
public:
    SubResponse(Host host, plug_subresponse *raw) noexcept : host_(host), raw_(raw) { table()->subresponse_keep(raw); }
    SubResponse(SubResponse &&other) noexcept : host_(other.host_), raw_(std::exchange(other.raw_, nullptr)) {}
    SubResponse &operator=(SubResponse &&other) noexcept {
        std::swap(host_, other.host_);
        std::swap(raw_, other.raw_);
        return *this;
    }
    ~SubResponse() {
        if (raw_ != nullptr) table()->subresponse_release(raw_);
    }
    plug_subresponse *raw() const noexcept { return raw_; }

    // Empty if it failed. Valid as long as this object.
    std::optional<Head> head() const noexcept {
        plug_head *head = table()->subresponse_head(raw_);
        if (head == nullptr) return std::nullopt;
        return Head(host_, head);
    }
    // Code and reason, if it failed. Valid as long as this object.
    std::optional<std::pair<std::string_view, std::string_view>> failure() const noexcept {
        plug_text code = {}, reason = {};
        if (table()->subresponse_failure(raw_, &code, &reason) != PLUG_OK) return std::nullopt;
        return std::make_pair(view(code), view(reason));
    }
    // How many attempts on the network it made, also if it failed.
    uint32_t attempts() const noexcept { return table()->subresponse_attempts(raw_); }
    // Empty if there is none, or if it was taken before.
    Body take_body() noexcept { return Body(host_, table()->subresponse_take_body(raw_)); }
    // Takes the body out and reads it whole, then calls `collected(Collected)` once, on the loop, with the head, too. A
    // body of more than `limit` bytes fails with `body.limit`; without a body there are no bytes; a sub-request that
    // failed gives its error.
    template <class Done> void collect(uint64_t limit, Done collected);

private:
    const plug_host_v1 *table() const noexcept { return host_.raw(); }
    Host host_;
    plug_subresponse *raw_;
};

namespace detail {

// Code and reason.
inline constexpr std::pair<const char *, const char *> too_large = {
    "body.limit", "The response's body is larger than the limit."};

// Reads a body to its end, or to the first byte beyond the limit.
template <class Done> class Collection : public std::enable_shared_from_this<Collection<Done>> {
public:
    Collection(Body body, uint64_t limit, Collected head, Done done)
        : body_(std::move(body)), limit_(limit), collected_(std::move(head)), done_(std::move(done)) {}

    // A loop and no recursion: the server chooses how many pieces are there at once, and each would nest a call.
    void pull() {
        is_pulling_ = true;
        do {
            is_pulled_ = false;
            body_.pull([self = this->shared_from_this()](const plug_piece_v1 &piece) {
                self->take(piece);
                self->is_pulled_ = true;
                if (!self->is_pulling_ && self->done_) self->pull();
            });
        } while (is_pulled_ && done_);
        is_pulling_ = false;
    }

private:
    void take(const plug_piece_v1 &piece) {
        if (piece.kind == PLUG_PIECE_BROKEN) return end(view(piece.code), view(piece.reason));
        if (piece.kind == PLUG_PIECE_END) return end();
        if (piece.bytes.count > limit_ - collected_.bytes.size()) return end(too_large.first, too_large.second);
        collected_.bytes.append(view(piece.bytes));
    }
    void end(std::string_view code = {}, std::string_view reason = {}) {
        // The texts may belong to the body.
        if (!code.empty()) collected_ = Collected{{}, std::string(code), std::string(reason)};
        body_ = Body();
        Done done = std::move(*done_);
        done_.reset();
        done(std::move(collected_));
    }

    Body body_;
    uint64_t limit_;
    Collected collected_;
    std::optional<Done> done_;
    bool is_pulling_ = false;
    bool is_pulled_ = false;
};

}  // namespace detail

template <class Done> void SubResponse::collect(uint64_t limit, Done collected) {
    if (auto why = failure()) return collected(Collected{{}, std::string(why->first), std::string(why->second)});
    auto head = this->head();
    Collected known;
    if (head) {
        known.status = head->status();
        known.fields = head->fields();
    }
    Body body = take_body();
    if (!body) return collected(std::move(known));
    uint64_t length = body.length();
    if (length != PLUG_LENGTH_UNKNOWN && length > limit) {
        return collected(Collected{{}, detail::too_large.first, detail::too_large.second});
    }
    std::make_shared<detail::Collection<Done>>(std::move(body), limit, std::move(known), std::move(collected))->pull();
}

template <class Completed>
SubRequest Host::send(Request request, plug_exchange_id exchange, Completed completed) const {
    struct Call {
        Host host;
        Completed completed;
    };
    auto fields = detail::raw(request.fields), attributes = detail::raw(request.attributes);
    auto options = detail::raw(request.options);
    std::vector<plug_text> secrets;
    for (const auto &name : request.secrets) secrets.push_back(text(name));
    plug_subrequest_id id = 0;
    plug_subrequest_v1 raw = {};
    if (request.method.empty() && !request.is_like_exchange) request.method = "GET";
    raw.method = text(request.method);
    raw.url = text(request.url);
    raw.fields = fields.data();
    raw.field_count = fields.size();
    raw.attributes = attributes.data();
    raw.attribute_count = attributes.size();
    raw.secrets = secrets.data();
    raw.secret_count = secrets.size();
    raw.options = options.data();
    raw.option_count = options.size();
    raw.id = &id;
    raw.timeout = request.timeout.count();
    raw.flags = (request.is_outermost ? PLUG_SUBREQUEST_OUTERMOST : 0)
        | (request.is_detached ? PLUG_SUBREQUEST_DETACHED : 0)
        | (request.is_like_exchange ? PLUG_SUBREQUEST_LIKE_EXCHANGE : 0);
    auto call = std::make_unique<Call>(Call{*this, std::move(completed)});
    // Taken over, also where the kernel refuses the request.
    raw.body = request.body.release();
    plug_result code = raw_->send_subrequest(
        raw_, exchange, &raw, call.get(), [](void *context, plug_subresponse *subresponse) noexcept {
            std::unique_ptr<Call> call(static_cast<Call *>(context));
            Host host = call->host;
            detail::guarded([&] { call->completed(SubResponse(host, subresponse)); },
                [&](std::string_view what) { host.log(PLUG_LOG_ERROR, what); });
        });
    if (code != PLUG_OK) throw Error("send_subrequest", code);
    call.release();
    return SubRequest(*this, id);
}

// ------------------------------------------------------------------------------------------------ Verdicts

// What a hook decides. Made by `next` and by the functions of Exchange of the same names.
class [[nodiscard]] Verdict {
public:
    static Verdict next() noexcept { return Verdict(PLUG_VERDICT_NEXT); }
    plug_verdict number() const noexcept { return number_; }

private:
    friend class Exchange;
    explicit Verdict(plug_verdict number) noexcept : number_(number) {}
    plug_verdict number_;
};

class Transformer;

// One request and its outcome. Valid until the hook returns. [loop]
class Exchange {
public:
    Exchange(Host host, plug_exchange *raw) noexcept : host_(host), raw_(raw) {}
    Exchange(const Exchange &) = delete;
    Exchange &operator=(const Exchange &) = delete;
    plug_exchange *raw() const noexcept { return raw_; }

    plug_visit visit() const noexcept { return table()->visit(raw_); }
    plug_exchange_id id() const noexcept { return table()->exchange_id(raw_); }
    uint32_t attempt() const noexcept { return table()->attempt(raw_); }
    Head request() const noexcept { return Head(host_, table()->request(raw_)); }
    // Empty before there is one.
    std::optional<Head> response() const noexcept {
        plug_head *head = table()->response(raw_);
        if (head == nullptr) return std::nullopt;
        return Head(host_, head);
    }
    // In on_failure, and in on_close after a failure: code and reason.
    std::optional<std::pair<std::string_view, std::string_view>> failure() const noexcept {
        plug_text code = {}, reason = {};
        if (table()->failure(raw_, &code, &reason) != PLUG_OK) return std::nullopt;
        return std::make_pair(view(code), view(reason));
    }
    bool can_resend() const noexcept { return table()->can_resend(raw_) == PLUG_OK; }
    std::optional<std::string_view> attribute(std::string_view name) const noexcept {
        return optional_view(table()->attribute(raw_, text(name)));
    }
    // All that `attribute` finds, in the order of their names.
    Fields attributes() const {
        Fields attributes;
        plug_field found = {};
        while (table()->attribute_at(raw_, attributes.size(), &found) == PLUG_OK) {
            attributes.emplace_back(view(found.name), view(found.value));
        }
        return attributes;
    }
    // The id of the plugin that sent the request as a sub-request; empty for a request of the program.
    std::optional<std::string_view> sender() const noexcept { return optional_view(table()->sender(raw_)); }
    // The options that the request itself has, in the names and words of a sub-request's options.
    std::vector<RequestOption> options() const {
        std::vector<RequestOption> options;
        plug_field found = {};
        plug_option_flags flags = 0;
        while (table()->option_at(raw_, options.size(), &found, &flags) == PLUG_OK) {
            bool is_secret = (flags & PLUG_FLAG_SECRET) != 0;
            options.push_back({std::string(view(found.name)), std::string(view(found.value)), is_secret});
        }
        return options;
    }
    // A text that stands for the route of the request and for the trust in who responds; PLUG_ROUTE_… to `flags`. What
    // is stored or shared of one exchange must not be used for one with another text.
    std::string_view route(plug_route_flags *flags = nullptr) const noexcept {
        return view(table()->route(raw_, flags));
    }
    // A text that stands for the request's own options that decide on the route to any URL; empty without such options.
    std::string_view own_routes() const noexcept { return view(table()->own_routes(raw_)); }
    // What is known of an attribute that `attribute` returns: PLUG_ATTRIBUTE_… together.
    plug_attribute_flags attribute_flags(std::string_view name) const noexcept {
        return table()->attribute_flags(raw_, text(name));
    }
    void set_attribute(std::string_view name, std::string_view value) {
        detail::check("set_attribute", table()->set_attribute(raw_, text(name), text(value)));
    }
    std::optional<std::string_view> resolve(std::string_view reference) const noexcept {
        return optional_view(table()->resolve_url(raw_, text(reference)));
    }

    // State of the plugin's own, deleted with the turn or with the exchange. `State` is always the same type.
    template <class State> State *turn_state() const noexcept {
        return static_cast<State *>(table()->turn_state(raw_));
    }
    template <class State> void set_turn_state(std::unique_ptr<State> state) {
        detail::check(
            "set_turn_state", table()->set_turn_state(raw_, state.get(), detail::destroy<State>));
        state.release();
    }
    template <class State> State *state() const noexcept {
        return static_cast<State *>(table()->exchange_state(raw_));
    }
    template <class State> void set_state(std::unique_ptr<State> state) {
        detail::check(
            "set_exchange_state", table()->set_exchange_state(raw_, state.get(), detail::destroy<State>));
        state.release();
    }

    // The bodies, to put sources around them. Empty if there is none.
    Body take_request_body() noexcept { return Body(host_, table()->take_request_body(raw_)); }
    void set_request_body(Body body) {
        detail::check("set_request_body", table()->set_request_body(raw_, body.release()));
    }
    Body take_response_body() noexcept { return Body(host_, table()->take_response_body(raw_)); }
    void set_response_body(Body body) {
        detail::check("set_response_body", table()->set_response_body(raw_, body.release()));
    }
    // Put a transformer around the body, in the hook of that name: see Transformer. False if there is no body. `make`
    // is called once here, and again each time the body begins again. [loop]
    bool transform_request_body(std::function<std::unique_ptr<Transformer>()> make);
    bool transform_response_body(std::function<std::unique_ptr<Transformer>()> make);
    // After PLUG_VISIT_HELD.
    std::string_view held_body() const noexcept { return view(table()->held_body(raw_)); }
    // In on_response: all bytes of the body where they are in memory already; else nothing. Valid until the hook
    // returns.
    std::optional<std::string_view> whole_response_body() const noexcept {
        plug_text bytes{};
        if (table()->whole_response_body(raw_, &bytes) != 1) return std::nullopt;
        return view(bytes);
    }

    Verdict respond(uint32_t status, const Fields &fields = {}, Body body = {}) {
        auto raw = detail::raw(fields);
        return Verdict(table()->respond(raw_, status, raw.data(), raw.size(), body.release()));
    }
    Verdict respond(uint32_t status, const Fields &fields, std::string bytes) {
        return respond(status, fields, Body::of(host_, std::move(bytes)));
    }
    // Responds with the response of a sub-request, head and body; one that failed fails the exchange.
    Verdict respond(SubResponse subresponse) noexcept {
        return Verdict(table()->respond_with(raw_, subresponse.raw()));
    }
    Verdict resend(Duration after = Duration::zero()) noexcept { return Verdict(table()->resend(raw_, after.count())); }
    Verdict hold(uint64_t limit) noexcept { return Verdict(table()->hold(raw_, limit)); }
    // Writes the ticket; `Host::wake` with it lets the hook run again. Without `within` there is no deadline.
    Verdict wait(plug_ticket &ticket, Duration within = Duration(-1)) noexcept {
        return Verdict(table()->wait(raw_, within.count(), &ticket));
    }
    Verdict fail(std::string_view code, std::string_view reason) noexcept {
        return Verdict(table()->fail(raw_, text(code), text(reason)));
    }

private:
    const plug_host_v1 *table() const noexcept { return host_.raw(); }
    Host host_;
    plug_exchange *raw_;
};

// ------------------------------------------------------------------------------------------------ Transformers

// Thrown by a transformer to break its body off with a code of its own.
class Break : public std::runtime_error {
public:
    Break(std::string_view code, const std::string &reason) : std::runtime_error(reason), code_(code) {}
    const std::string &code() const noexcept { return code_; }

private:
    std::string code_;
};

// Changes one body while it flows: bytes go in piece by piece, and other bytes come out. Needs the memory of one piece
// and of its output; one whose output can be much larger than the piece has to limit that itself. [loop]
class Transformer {
public:
    virtual ~Transformer() = default;
    // Appends the output for the next bytes to `output`, which is empty: any number of bytes, also none. What it throws
    // breaks the body off (a Break with its own code), and what the same call has appended is dropped.
    virtual void transform(std::string_view bytes, std::string &output) = 0;
    // The end has come: appends the rest. Throws like `transform`. Not called for a body that breaks off.
    virtual void finish(std::string &output) { (void)output; }
    // Whether exactly as many bytes come out as go in: then the length and the field Content-Length stay as they are.
    // Else the length is unknown and the field is removed.
    virtual bool keeps_length() const { return false; }
};

namespace detail {

// A body with a transformer around it. Shared with the open pull, which may end after the source was released.
class Transforming : public std::enable_shared_from_this<Transforming> {
public:
    using Make = std::function<std::unique_ptr<Transformer>()>;

    Transforming(Body inner, Make make) : inner_(std::move(inner)), make_(std::move(make)), transformer_(make_()) {}

    bool keeps_length() const { return transformer_->keeps_length(); }
    uint64_t length() const { return keeps_length() ? inner_.length() : PLUG_LENGTH_UNKNOWN; }
    bool can_rewind() const { return inner_.can_rewind(); }
    void rewind() {
        if (!inner_.rewind()) throw Error("body_rewind", PLUG_WRONG_TIME);
        transformer_ = make_();
        is_running_ = is_ended_ = is_broken_ = false;
        trailers_.clear();
    }
    void pull(Pull pull) {
        if (is_ended_ || is_broken_) return complete(std::move(pull));
        open_ = std::make_unique<Pull>(std::move(pull));
        run();
    }
    void release() {
        is_released_ = true;
        inner_ = Body();
    }

private:
    bool is_ready() const { return !output_.empty() || is_ended_ || is_broken_; }

    // Pulls until there is output for the open pull. A loop and no recursion: pieces that are there at once would nest
    // calls. Where the inner body cannot be pulled, the body breaks off.
    void run() {
        is_running_ = true;
        do {
            is_pulled_ = false;
            try {
                pull_inner();
            } catch (const std::exception &error) {
                broken("plugin.fault", error.what());
                is_pulled_ = true;
            }
        } while (is_pulled_ && !is_ready());
        is_running_ = false;
        if (is_pulled_) complete(std::move(*open_));
    }

    void pull_inner() {
        inner_.pull([self = shared_from_this()](const plug_piece_v1 &piece) {
            // The body was given back while a pull was open: this is its break.
            if (self->is_released_) return;
            self->take(piece);
            self->is_pulled_ = true;
            if (self->is_running_) return;
            if (self->is_ready()) {
                self->complete(std::move(*self->open_));
            } else {
                self->run();
            }
        });
    }

    // The kernel may pull again within this, so nothing follows the completion.
    void complete(Pull pull) {
        if (is_broken_) return pull.fail(code_, reason_);
        if (output_.empty()) return pull.end(trailers_);
        auto output = std::make_unique<std::string>();
        output->swap(output_);
        pull.give(std::move(output));
    }

    void broken(std::string_view code, std::string_view reason) {
        is_broken_ = true;
        code_ = code;
        reason_ = reason;
    }

    void take(const plug_piece_v1 &piece) noexcept {
        try {
            if (piece.kind == PLUG_PIECE_BROKEN) return broken(view(piece.code), view(piece.reason));
            if (piece.kind == PLUG_PIECE_END) {
                is_ended_ = true;
                if (piece.trailers != nullptr) trailers_ = Head(inner_.host(), piece.trailers).fields();
                transformer_->finish(output_);
            } else if (piece.bytes.count > 0) {
                transformer_->transform(view(piece.bytes), output_);
            }
        } catch (const Break &error) {
            broken(error.code(), error.what());
        } catch (const std::exception &error) {
            broken("plugin.fault", error.what());
        } catch (...) {
            broken("plugin.fault", "it threw an object that is not a std::exception");
        }
    }

    Body inner_;
    Make make_;
    std::unique_ptr<Transformer> transformer_;
    std::unique_ptr<Pull> open_;
    std::string output_;
    Fields trailers_;
    std::string code_, reason_;
    bool is_running_ = false, is_pulled_ = false, is_ended_ = false, is_broken_ = false, is_released_ = false;
};

class TransformedSource : public Source {
public:
    explicit TransformedSource(std::shared_ptr<Transforming> body) : body_(std::move(body)) {}
    ~TransformedSource() override { body_->release(); }
    uint64_t length() const override { return body_->length(); }
    bool can_rewind() const override { return body_->can_rewind(); }
    void rewind() override { body_->rewind(); }
    void pull(Pull pull) override { body_->pull(std::move(pull)); }

private:
    std::shared_ptr<Transforming> body_;
};

}  // namespace detail

inline bool Exchange::transform_request_body(std::function<std::unique_ptr<Transformer>()> make) {
    Body inner = take_request_body();
    if (!inner) return false;
    auto body = std::make_shared<detail::Transforming>(std::move(inner), std::move(make));
    if (!body->keeps_length()) request().remove_field("content-length");
    set_request_body(Body::of(host_, std::make_unique<detail::TransformedSource>(std::move(body))));
    return true;
}

inline bool Exchange::transform_response_body(std::function<std::unique_ptr<Transformer>()> make) {
    Body inner = take_response_body();
    if (!inner) return false;
    auto body = std::make_shared<detail::Transforming>(std::move(inner), std::move(make));
    if (!body->keeps_length()) response()->remove_field("content-length");
    set_response_body(Body::of(host_, std::make_unique<detail::TransformedSource>(std::move(body))));
    return true;
}

// A fact. Valid until the hook returns. [loop]
class Event {
public:
    Event(Host host, const plug_event *raw) noexcept : host_(host.raw()), raw_(raw) {}
    std::string_view id() const noexcept { return view(host_->event_id(raw_)); }
    std::optional<std::string_view> string(std::string_view name) const noexcept {
        return optional_view(host_->event_text(raw_, text(name)));
    }
    std::optional<int64_t> integer(std::string_view name) const noexcept {
        int64_t value = 0;
        if (host_->event_integer(raw_, text(name), &value) != PLUG_OK) return std::nullopt;
        return value;
    }
    // All details in their order; numbers are written in decimal digits.
    Fields details() const {
        Fields details;
        plug_field found = {};
        while (host_->event_detail_at(raw_, details.size(), &found) == PLUG_OK) {
            details.emplace_back(view(found.name), view(found.value));
        }
        return details;
    }
    // The head of `interim` and `headReceived`; it cannot be edited.
    std::optional<const Head> head() const noexcept {
        auto head = host_->event_head(raw_);
        if (head == nullptr) return std::nullopt;
        return Head(Host(host_), const_cast<plug_head *>(head));
    }

private:
    const plug_host_v1 *host_;
    const plug_event *raw_;
};

// The reply of a command, to be given once, from any thread. One that is destroyed without a result fails the command.
class Reply {
public:
    Reply(Host host, plug_reply number) noexcept : host_(host.raw()), number_(number) {}
    Reply(Reply &&other) noexcept : host_(std::exchange(other.host_, nullptr)), number_(other.number_) {}
    Reply &operator=(Reply &&) = delete;
    ~Reply() {
        if (host_ != nullptr) detail::Barrier::drop({host_, false, number_}, exceptions_);
    }

    // The arguments of the command by their names, until command() returns. An integer, or a bool (0 or 1); empty for
    // others and without it.
    std::optional<int64_t> argument_integer(std::string_view name) const noexcept {
        int64_t value = 0;
        if (!host_ || host_->argument_integer(host_, number_, text(name), &value) != PLUG_OK) return std::nullopt;
        return value;
    }
    // A text as it is, others as JSON; empty without it.
    std::optional<std::string> argument_string(std::string_view name) const {
        plug_text value = {};
        if (!host_ || host_->argument_text(host_, number_, text(name), &value) != PLUG_OK) return std::nullopt;
        return std::string(view(value));
    }
    // The items of an array (their names are empty) or an object, in the same way.
    Fields argument_items(std::string_view name) const {
        Fields items;
        plug_field item = {};
        while (host_ && host_->argument_item(host_, number_, text(name), items.size(), &item) == PLUG_OK) {
            items.emplace_back(view(item.name), view(item.value));
        }
        return items;
    }

    void json(std::string_view json) noexcept {
        if (auto host = take_host()) host->reply_json(host, number_, text(json));
    }
    void body(Body body) noexcept {
        if (auto host = take_host()) host->reply_body(host, number_, body.release());
    }
    void fail(std::string_view code, std::string_view reason) noexcept {
        if (auto host = take_host()) host->reply_fail(host, number_, text(code), text(reason));
    }

private:
    const plug_host_v1 *take_host() noexcept { return std::exchange(host_, nullptr); }
    const plug_host_v1 *host_;
    plug_reply number_;
    int exceptions_ = std::uncaught_exceptions();
};

// ------------------------------------------------------------------------------------------------ The descriptor

// A row of the table of settings or attributes, made of literals. Bounds that are both 0 are no bounds.
inline plug_option_v1 option(plug_option_type type, std::string_view name, std::string_view fallback,
    std::string_view documentation, int64_t minimum = 0, int64_t maximum = 0, plug_option_flags flags = 0,
    std::string_view choices = {}) noexcept {
    return {text(name), type, flags, text(fallback), minimum, maximum, text(choices), text(documentation)};
}

// The same row for a value that is never printed: `plugboard::secret(plugboard::option(…))`.
inline plug_option_v1 secret(plug_option_v1 option) noexcept { return option.flags |= PLUG_FLAG_SECRET, option; }
// The same row for a setting that the configuration must give.
inline plug_option_v1 required(plug_option_v1 option) noexcept { return option.flags |= PLUG_FLAG_REQUIRED, option; }

// The plugin's description of itself. Texts and tables are static.
template <class Plugin> class Manifest {
public:
    Manifest(std::string_view id, std::string_view version) noexcept {
        raw_.abi_revision = PLUG_ABI_REVISION;
        raw_.id = text(id);
        raw_.version = text(version);
        raw_.priority = 500;
        raw_.create = create;
        raw_.destroy = destroy;
        hook();
    }

    Manifest &documentation(std::string_view line) noexcept { return raw_.documentation = text(line), *this; }
    Manifest &priority(int32_t priority) noexcept { return raw_.priority = priority, *this; }
    template <size_t count> Manifest &settings(const plug_option_v1 (&table)[count]) noexcept {
        return raw_.settings = table, raw_.setting_count = count, *this;
    }
    template <size_t count> Manifest &attributes(const plug_option_v1 (&table)[count]) noexcept {
        return raw_.attributes = table, raw_.attribute_count = count, *this;
    }
    template <size_t count> Manifest &commands(const plug_command_v1 (&table)[count]) noexcept {
        return raw_.commands = table, raw_.command_count = count, *this;
    }
    template <size_t count> Manifest &events(const plug_text (&ids)[count]) noexcept {
        return raw_.events = ids, raw_.event_count = count, *this;
    }
    template <size_t count> Manifest &before(const plug_text (&ids)[count]) noexcept {
        return raw_.before = ids, raw_.before_count = count, *this;
    }
    template <size_t count> Manifest &after(const plug_text (&ids)[count]) noexcept {
        return raw_.after = ids, raw_.after_count = count, *this;
    }
    // Ids of the services that the class's `service` returns.
    template <size_t count> Manifest &provides(const plug_text (&ids)[count]) noexcept {
        return raw_.provides = ids, raw_.provide_count = count, *this;
    }
    // Ids of services of other plugins that Host::service returns; with `?` behind an id, one that may be missing.
    template <size_t count> Manifest &needs(const plug_text (&ids)[count]) noexcept {
        return raw_.needs = ids, raw_.need_count = count, *this;
    }
    operator plug_plugin_v1() const noexcept { return raw_; }

private:
    struct Instance {
        Host host;
        Plugin plugin;
    };

    static void *create(const plug_host_v1 *host, const plug_settings *settings) noexcept {
        return detail::guarded(
            [&]() -> void * { return new Instance{Host(host), Plugin(Host(host), Settings(Host(host), settings))}; },
            [&](std::string_view what) -> void * { return host->refuse(host, text(what)), nullptr; });
    }

    static void destroy(void *self) noexcept {
        auto host = static_cast<Instance *>(self)->host.raw();
        detail::Pending::shared().drop(host);
        detail::destroy<Instance>(self);
    }

    static plug_result check(void *self, const plug_field *attributes, uint64_t count) noexcept {
        auto instance = static_cast<Instance *>(self);
        auto host = instance->host.raw();
        return detail::guarded(
            [&] {
                Fields section;
                for (uint64_t index = 0; index < count; index++) {
                    section.emplace_back(view(attributes[index].name), view(attributes[index].value));
                }
                return instance->plugin.check(section), PLUG_OK;
            },
            [&](std::string_view what) { return host->refuse(host, text(what)), PLUG_BAD_ARGUMENT; });
    }

    template <class Hook> static plug_verdict steer(void *self, plug_exchange *raw, Hook hook) noexcept {
        auto instance = static_cast<Instance *>(self);
        return detail::guarded(
            [&] {
                Exchange exchange(instance->host, raw);
                return hook(instance->plugin, exchange).number();
            },
            [&](std::string_view what) { return instance->host.raw()->fault(raw, text(what)); });
    }

    template <class Watch> static void watch(void *self, Watch watch) noexcept {
        auto instance = static_cast<Instance *>(self);
        detail::guarded([&] { watch(*instance); },
            [&](std::string_view what) { instance->host.log(PLUG_LOG_ERROR, what); });
    }

    // Whether the class has a member of a name: one test for each name.
#define PLUGBOARD_MEMBER(name) \
    template <class Type, class = void> struct has_##name : std::false_type {}; \
    template <class Type> struct has_##name<Type, std::void_t<decltype(&Type::name)>> : std::true_type {};
    PLUGBOARD_MEMBER(start)
    PLUGBOARD_MEMBER(stop)
    PLUGBOARD_MEMBER(on_request)
    PLUGBOARD_MEMBER(on_response)
    PLUGBOARD_MEMBER(on_failure)
    PLUGBOARD_MEMBER(on_close)
    PLUGBOARD_MEMBER(on_event)
    PLUGBOARD_MEMBER(command)
    PLUGBOARD_MEMBER(check)
    PLUGBOARD_MEMBER(service)
#undef PLUGBOARD_MEMBER

    void hook() noexcept {
        if constexpr (has_start<Plugin>::value) {
            raw_.start = [](void *self) noexcept -> plug_result {
                auto instance = static_cast<Instance *>(self);
                auto host = instance->host.raw();
                return detail::guarded([&] { return instance->plugin.start(), PLUG_OK; },
                    [&](std::string_view what) { return host->refuse(host, text(what)), PLUG_UNSUPPORTED; });
            };
        }
        if constexpr (has_stop<Plugin>::value) {
            raw_.stop = [](void *self, int64_t within) noexcept {
                watch(self, [&](Instance &instance) { instance.plugin.stop(Duration(within)); });
            };
        }
        if constexpr (has_on_request<Plugin>::value) {
            raw_.hooks |= PLUG_ON_REQUEST;
            raw_.on_request = [](void *self, plug_exchange *raw) noexcept {
                return steer(self, raw, [](Plugin &plugin, Exchange &seen) { return plugin.on_request(seen); });
            };
        }
        if constexpr (has_on_response<Plugin>::value) {
            raw_.hooks |= PLUG_ON_RESPONSE;
            raw_.on_response = [](void *self, plug_exchange *raw) noexcept {
                return steer(self, raw, [](Plugin &plugin, Exchange &seen) { return plugin.on_response(seen); });
            };
        }
        if constexpr (has_on_failure<Plugin>::value) {
            raw_.hooks |= PLUG_ON_FAILURE;
            raw_.on_failure = [](void *self, plug_exchange *raw) noexcept {
                return steer(self, raw, [](Plugin &plugin, Exchange &seen) { return plugin.on_failure(seen); });
            };
        }
        if constexpr (has_on_close<Plugin>::value) {
            raw_.hooks |= PLUG_ON_CLOSE;
            raw_.on_close = [](void *self, plug_exchange *raw, plug_close outcome) noexcept {
                watch(self, [&](Instance &instance) {
                    Exchange exchange(instance.host, raw);
                    instance.plugin.on_close(exchange, outcome);
                });
            };
        }
        if constexpr (has_on_event<Plugin>::value) {
            raw_.hooks |= PLUG_ON_EVENT;
            raw_.on_event = [](void *self, plug_exchange *raw, const plug_event *event) noexcept {
                watch(self, [&](Instance &instance) {
                    Exchange exchange(instance.host, raw);
                    instance.plugin.on_event(Event(instance.host, event), raw == nullptr ? nullptr : &exchange);
                });
            };
        }
        if constexpr (has_command<Plugin>::value) {
            raw_.command = [](void *self, plug_text name, plug_text arguments, plug_reply number) noexcept {
                watch(self, [&](Instance &instance) {
                    instance.plugin.command(view(name), view(arguments), Reply(instance.host, number));
                });
            };
        }
        if constexpr (has_check<Plugin>::value) raw_.check = check;
        if constexpr (has_service<Plugin>::value) {
            raw_.service = [](void *self, plug_text id) noexcept {
                auto instance = static_cast<Instance *>(self);
                return detail::guarded([&]() -> const void * { return instance->plugin.service(view(id)); },
                    [&](std::string_view what) -> const void * {
                        return instance->host.log(PLUG_LOG_ERROR, what), nullptr;
                    });
            };
        }
    }

    plug_plugin_v1 raw_ = {};
};

}  // namespace plugboard

#endif
