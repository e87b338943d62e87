// Waiting with a timer, and a command that replies with JSON: lets one request pass in each interval.
#include <plugboard.hpp>

#include <deque>
#include <mutex>
#include <string>
#include <string_view>

namespace {

class Pace {
public:
    Pace(plugboard::Host host, plugboard::Settings settings) : host_(host), interval_(settings.duration("interval")) {}
    Pace(Pace &&) = delete;

    plugboard::Verdict on_request(plugboard::Exchange &exchange) {
        // The timer wakes an exchange to let it pass.
        if (exchange.visit() == PLUG_VISIT_WOKEN) return plugboard::Verdict::next();
        // One lock for all loops. A woken hook returns above, without it.
        std::lock_guard<std::mutex> guard(lock_);
        if (waiting_.empty() && host_.now() >= next_) {
            next_ = host_.now() + interval_;
            passed_++;
            return plugboard::Verdict::next();
        }
        plug_ticket ticket = 0;
        auto verdict = exchange.wait(ticket);
        waiting_.push_back(ticket);
        if (waiting_.size() == 1) start(next_ - host_.now());
        return verdict;
    }

    // `plugboard com.example.pace show`. Not on the loop.
    void command(std::string_view, std::string_view, plugboard::Reply reply) {
        std::lock_guard<std::mutex> guard(lock_);
        reply.json("{\"passed\":" + std::to_string(passed_) + ",\"waiting\":" + std::to_string(waiting_.size()) + "}");
    }

private:
    // Call it with the lock held.
    void start(plugboard::Duration delay) {
        host_.after(delay, [this] { release(); });
    }

    // Wakes the first exchange that still waits: one that was cancelled uses up no interval.
    void release() {
        std::lock_guard<std::mutex> guard(lock_);
        bool is_woken = false;
        while (!is_woken && !waiting_.empty()) {
            is_woken = host_.wake(waiting_.front());
            waiting_.pop_front();
        }
        if (!is_woken) return;
        passed_++;
        next_ = host_.now() + interval_;
        if (!waiting_.empty()) start(interval_);
    }

    plugboard::Host host_;
    plugboard::Duration interval_;
    std::mutex lock_;
    plugboard::Duration next_ = plugboard::Duration::zero();
    std::deque<plug_ticket> waiting_;
    uint64_t passed_ = 0;
};

const plug_option_v1 settings[] = {
    plugboard::option(
        PLUG_TYPE_DURATION, "interval", "1s", "How long after one request the next may pass.", 1, INT64_MAX),
};

const plug_command_v1 commands[] = {
    {PLUG_TEXT("show"), {}, PLUG_TEXT("Shows how many requests have passed and how many wait."), 0},
};

}  // namespace

PLUGBOARD_METADATA(pace, "com.example.pace", "1.0.0");
PLUGBOARD_PLUGIN(pace) plugboard::Manifest<Pace>("com.example.pace", "1.0.0")
    .documentation("Lets one request pass in each interval.")
    .priority(150)
    .settings(settings)
    .commands(commands);
