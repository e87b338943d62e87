// One request for many: exchanges that ask for the same at the same time share one response.
#include <plugboard.hpp>

#include <strings.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr uint64_t largest = 1 << 20;   // bytes of a body that is shared

// A request under way, and the exchanges that wait for its response. Shared by these.
struct Flight {
    std::vector<plug_ticket> tickets;   // used under the plugin's lock
    uint32_t status = 0;                // 0: there is no response
    plugboard::Fields fields;
    std::shared_ptr<const std::string> body;
    bool has_cookies = false;           // the response is for the first exchange alone
};

// The state of an exchange.
struct Seat {
    std::shared_ptr<Flight> flight;
    bool is_first = false;
};

class Flights {
public:
    Flights(plugboard::Host host, plugboard::Settings) : host_(host) {}
    Flights(Flights &&) = delete;

    plugboard::Verdict on_request(plugboard::Exchange &exchange) {
        if (exchange.visit() == PLUG_VISIT_FIRST) return join(exchange, key(exchange));
        const auto &[flight, is_first] = *exchange.state<Seat>();
        // Each sends its own where there is nothing to share.
        if (flight->status == 0 || (flight->has_cookies && !is_first)) return plugboard::Verdict::next();
        host_.counter("shared", {{"status", std::to_string(flight->status)}}).add();
        return exchange.respond(flight->status, flight->fields, plugboard::Body::of(host_, flight->body));
    }

private:
    // What two requests have in common that may share a response; empty for one that shares none.
    static std::string key(plugboard::Exchange &exchange) {
        auto request = exchange.request();
        auto fields = request.fields();
        if (request.method() != "GET") return {};
        if (auto body = exchange.take_request_body()) {   // the sub-request would be sent without it
            exchange.set_request_body(std::move(body));
            return {};
        }
        std::string key(request.url());
        for (auto text : {exchange.route(), exchange.own_routes()}) key += '\n' + std::string(text);
        for (size_t index = 0; index < fields.size(); index++) {
            if (request.is_secret(index)) return {};   // the response is one user's own
            key += '\n' + fields[index].first + ':' + fields[index].second;
        }
        for (const auto &[name, value] : exchange.attributes()) key += '\n' + name + '=' + value;
        return key;
    }

    plugboard::Verdict join(plugboard::Exchange &exchange, const std::string &key) {
        if (key.empty()) return plugboard::Verdict::next();
        plug_ticket ticket = 0;
        auto verdict = exchange.wait(ticket);
        exchange.set_state(std::make_unique<Seat>());
        auto &seat = *exchange.state<Seat>();
        std::unique_lock<std::mutex> guard(lock_);
        auto &flight = flights_[key];
        seat.is_first = flight == nullptr;
        if (seat.is_first) flight = std::make_shared<Flight>();
        flight->tickets.push_back(ticket);
        seat.flight = flight;
        guard.unlock();
        if (seat.is_first) send(exchange, key);
        return verdict;
    }

    // Detached, because all wait for it: it must not be cancelled with the first exchange.
    void send(plugboard::Exchange &exchange, const std::string &key) {
        plugboard::Request request;
        request.is_like_exchange = request.is_detached = true;
        try {
            host_.send(std::move(request), exchange.id(), [this, key](plugboard::SubResponse response) {
                response.collect(largest, [this, key](plugboard::Collected got) { land(key, std::move(got)); });
            });
        } catch (const std::exception &) {   // as when the kernel has ended
            land(key, {});
        }
    }

    static bool is_cookie(const std::string &name) { return strcasecmp(name.c_str(), "set-cookie") == 0; }

    void land(const std::string &key, plugboard::Collected collected) {
        std::unique_lock<std::mutex> guard(lock_);
        auto flight = flights_.extract(key).mapped();
        guard.unlock();
        flight->fields = std::move(collected.fields);
        flight->body = std::make_shared<const std::string>(std::move(collected.bytes));
        for (const auto &field : flight->fields) flight->has_cookies |= is_cookie(field.first);
        flight->status = collected.status;
        for (auto ticket : flight->tickets) host_.wake(ticket);
    }

    plugboard::Host host_;
    std::mutex lock_;
    std::map<std::string, std::shared_ptr<Flight>> flights_;
};

}  // namespace

PLUGBOARD_METADATA(flight, "com.example.flight", "1.0.0");
PLUGBOARD_PLUGIN(flight) plugboard::Manifest<Flights>("com.example.flight", "1.0.0")
    .documentation("Lets requests for the same share one response.")
    .priority(590);
