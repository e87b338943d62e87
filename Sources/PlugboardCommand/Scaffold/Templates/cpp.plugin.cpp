// Adds the field `x-@name@` to requests.
//
// plugboard.h is the manual: the thread of each function, the owner of each pointer. plugboard.hpp is the same for C++.
#include <plugboard.hpp>

#include <atomic>
#include <string>
#include <string_view>

namespace {

// One instance serves all exchanges, on all loops: state that changes is shared between threads.
class Plugin {
public:
    // The kernel has checked settings against the table below and filled in defaults. What this throws ends the
    // start-up.
    Plugin(plugboard::Host host, plugboard::Settings settings)
        : value_(settings.string("value")), every_(static_cast<uint64_t>(settings.integer("every"))),
          added_(host.counter("added")) {}

    Plugin(Plugin &&) = delete;

    // Runs on the loop, and must not block it: to wait, return exchange.wait(…). What it throws is a
    // fault of the plugin.
    plugboard::Verdict on_request(plugboard::Exchange &exchange) {
        if (requests_.fetch_add(1) % every_ != 0) return plugboard::Verdict::next();
        exchange.request().set_field("x-@name@", value_);
        added_.add();
        return plugboard::Verdict::next();
    }

    // `plugboard @id@ show`. Not on the loop; may block. Replies once, with JSON.
    void command(std::string_view, std::string_view, plugboard::Reply reply) {
        reply.json("{\"requests\":" + std::to_string(requests_.load()) + "}");
    }

private:
    std::string value_;
    uint64_t every_;
    plugboard::Counter added_;
    std::atomic<uint64_t> requests_ = 0;
};

const plug_option_v1 settings[] = {
    plugboard::option(PLUG_TYPE_TEXT, "value", "hello", "The value of the field.", 1, 100),
    plugboard::option(PLUG_TYPE_INTEGER, "every", "1", "One of that many requests gets it.", 1, 1000),
};

const plug_command_v1 commands[] = {
    {PLUG_TEXT("show"), {}, PLUG_TEXT("Shows how many requests came."), 0},
};

}  // namespace

// Can be read from the file without running it. Equal to the descriptor's.
PLUGBOARD_METADATA(@module@, "@id@", "0.1.0");
PLUGBOARD_PLUGIN(@module@) plugboard::Manifest<Plugin>("@id@", "0.1.0")
    .documentation("Adds the field x-@name@ to requests.")
    .priority(300)
    .settings(settings)
    .commands(commands);
