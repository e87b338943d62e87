// A plugin that walks through plugboard.hpp: what a request says in `x-tour` decides what it does, or how it breaks.
#include <plugboard.hpp>

#include <atomic>
#include <cctype>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using plugboard::Body;
using plugboard::Exchange;
using plugboard::Pull;
using plugboard::Verdict;

// Turns what comes into capitals.
class Capitals : public plugboard::Source {
public:
    Capitals(Body inner, bool throws) : inner_(std::move(inner)), throws_(throws) {}
    uint64_t length() const override { return inner_.length(); }
    void pull(Pull pull) override {
        inner_.pull([pull = std::move(pull), throws = throws_](const plug_piece_v1 &piece) mutable {
            if (throws) throw std::runtime_error("the body broke on purpose");
            if (piece.kind != PLUG_PIECE_BYTES) return pull.forward(piece);
            std::string bytes(plugboard::view(piece.bytes));
            for (char &byte : bytes) byte = static_cast<char>(std::toupper(static_cast<unsigned char>(byte)));
            pull.give(bytes);
        });
    }

private:
    Body inner_;
    bool throws_;
};

// Passes everything.
class Same : public plugboard::Transformer {
public:
    void transform(std::string_view piece, std::string &output) override { output += piece; }
};

struct Seen {
    std::string what;
    std::shared_ptr<plugboard::Collected> found;
    std::shared_ptr<std::optional<plugboard::SubResponse>> subresponse;
};

// Tells when it is let go of.
class Told {
public:
    Told(plugboard::Host host, std::string_view line) : host_(host), line_(line) {}
    ~Told() { host_.log(PLUG_LOG_WARNING, line_); }

private:
    plugboard::Host host_;
    std::string line_;
};

class Tour {
public:
    Tour(plugboard::Host host, plugboard::Settings settings) : host_(host) {
        if (settings.string("refuse") == "yes") throw std::runtime_error("It was told to refuse.");
    }

    void check(const plugboard::Fields &attributes) {
        if (attributes.size() < 2) throw std::runtime_error(attributes[0].first + " is not enough.");
    }

    void start() {
        closed_ = host_.counter("closed");
        auto never = std::make_unique<Told>(host_, "the timer that was never due is let go of");
        host_.after(std::chrono::hours(1), [never = std::move(never)] {});
    }
    void stop(plugboard::Duration) {
        if (waker_.joinable()) waker_.join();
    }

    Verdict on_request(Exchange &exchange) {
        auto field = exchange.request().field("x-tour");
        std::string what(field.value_or(""));
        if (exchange.visit() == PLUG_VISIT_DEADLINE) return exchange.fail("tour.late", "Nobody woke it.");
        if (exchange.visit() == PLUG_VISIT_WOKEN) return woken(exchange);
        exchange.set_state(std::make_unique<Seen>(Seen{what, {}, {}}));
        exchange.set_turn_state(std::make_unique<Seen>(Seen{what, {}, {}}));
        if (what == "throw") throw std::runtime_error("thrown on purpose");
        if (what == "throw-number") throw 42;
        if (what == "fail") return exchange.fail("tour.refused", "It was asked to fail.");
        if (what == "respond") return exchange.respond(203, {{"x-responded", "here"}}, std::string("responded"));
        if (what == "secret") return tell_secrets(exchange);
        if (what == "wait") {
            plug_ticket ticket = 0;
            Verdict verdict = exchange.wait(ticket, std::chrono::seconds(30));
            if (waker_.joinable()) waker_.join();
            waker_ = std::thread([host = host_, ticket] { host.wake(ticket); });
            return verdict;
        }
        if (what.rfind("timer", 0) == 0) return wait_for_timer(exchange, what == "timer-throw");
        if (what.rfind("ask", 0) == 0) return ask(exchange, what);
        if (what == "cancel") return cancel(exchange);
        return Verdict::next();
    }

    // Responds with the names of the fields that are secret.
    Verdict tell_secrets(Exchange &exchange) {
        auto request = exchange.request();
        request.mark_secret("x-tour");
        auto fields = request.fields();
        std::string names;
        for (size_t index = 0; index < fields.size(); index++) {
            if (request.is_secret(index)) names += fields[index].first + ";";
        }
        return exchange.respond(200, {}, names);
    }

    // The first timer is cancelled; the second wakes the ticket, or throws before it does.
    Verdict wait_for_timer(Exchange &exchange, bool throws) {
        plug_ticket ticket = 0;
        Verdict verdict = exchange.wait(ticket, throws ? std::chrono::milliseconds(50) : std::chrono::seconds(30));
        auto cancelled = host_.after(
            std::chrono::milliseconds(0), [told = std::make_unique<Told>(host_, "the timer is let go of")] {
                throw std::runtime_error("a timer that was cancelled has run");
            });
        bool is_cancelled = cancelled.cancel() && !cancelled.cancel();
        host_.after(std::chrono::milliseconds(1), [host = host_, ticket, throws, is_cancelled] {
            if (throws) throw std::runtime_error("thrown by a timer");
            if (is_cancelled) host.wake(ticket);
        });
        return verdict;
    }

    // Asks for another URL, and cancels that.
    Verdict cancel(Exchange &exchange) {
        plug_ticket ticket = 0;
        Verdict verdict = exchange.wait(ticket, std::chrono::seconds(30));
        auto told = exchange.state<Seen>()->found = std::make_shared<plugboard::Collected>();
        plugboard::Request request;
        request.url = exchange.resolve("/unwanted").value();
        request.secrets = {"x-asked-by"};
        request.options = {{"connectTimeout", "5s"}};
        auto sent = host_.send(std::move(request), exchange.id(), [host = host_, ticket, told](plugboard::SubResponse subresponse) {
            auto failure = subresponse.failure();
            if (failure) told->bytes += failure->first;
            host.wake(ticket);
        });
        // The sub-response comes later, on this thread.
        told->bytes = sent.cancel() ? "true " : "false ";
        told->bytes += sent.cancel() ? "true " : "false ";
        return verdict;
    }

    // Asks for another URL first: for its body whole, up to 16 bytes, or for a sub-response to pass on.
    Verdict ask(Exchange &exchange, const std::string &what) {
        plug_ticket ticket = 0;
        bool throws = what == "ask-throw";
        Verdict verdict = exchange.wait(ticket, throws ? std::chrono::milliseconds(50) : std::chrono::seconds(30));
        auto seen = exchange.state<Seen>();
        auto found = seen->found = std::make_shared<plugboard::Collected>();
        auto kept = seen->subresponse = std::make_shared<std::optional<plugboard::SubResponse>>();
        plugboard::Request request;
        request.method = "POST";
        request.url = exchange.resolve("/asked").value();
        request.fields = {{"x-asked-by", "tour"}};
        request.body = Body::of(host_, std::string("question"));
        request.is_outermost = true;
        auto completed = [host = host_, ticket, what, throws, found, kept](plugboard::SubResponse subresponse) {
            if (throws) throw std::runtime_error("thrown on completion");
            if (what == "ask-whole") {
                kept->emplace(std::move(subresponse));
                host.wake(ticket);
                return;
            }
            subresponse.collect(what == "ask-less" ? 7 : 16, [host, ticket, found](plugboard::Collected collected) {
                *found = std::move(collected);
                host.wake(ticket);
            });
        };
        host_.send(std::move(request), exchange.id(), completed);
        return verdict;
    }

    Verdict woken(Exchange &exchange) {
        auto seen = exchange.state<Seen>();
        if (seen->subresponse && *seen->subresponse) return exchange.respond(std::move(**seen->subresponse));
        if (seen->found && !*seen->found) return exchange.fail(seen->found->code, seen->found->reason);
        exchange.request().set_field("x-woken", seen->found ? seen->found->bytes : "yes");
        return Verdict::next();
    }

    Verdict on_response(Exchange &exchange) {
        auto seen = exchange.state<Seen>();
        if (seen != nullptr && seen->what == "break-hook") {
            Body taken = exchange.take_response_body();
            throw std::runtime_error("the hook broke on purpose");
        }
        if (seen != nullptr && seen->what == "no-body") {
            auto body = std::make_shared<plugboard::detail::Transforming>(
                Body(host_, nullptr), [] { return std::make_unique<Same>(); });
            exchange.set_response_body(
                Body::of(host_, std::make_unique<plugboard::detail::TransformedSource>(std::move(body))));
        }
        if (seen != nullptr && (seen->what == "capitals" || seen->what == "break")) {
            bool breaks = seen->what == "break";
            exchange.set_response_body(
                Body::of(host_, std::make_unique<Capitals>(exchange.take_response_body(), breaks)));
        }
        return Verdict::next();
    }

    void on_close(Exchange &exchange, uint32_t) {
        if (exchange.turn_state<Seen>() != nullptr) closed_.add();
        // Nobody can act on it, but it must not leave either.
        throw std::runtime_error("thrown where nothing can fail");
    }

    void command(std::string_view name, std::string_view arguments, plugboard::Reply reply) {
        if (name == "throw") throw std::runtime_error("thrown by a command");
        if (name == "lose") return lose(std::move(reply));
        reply.json(arguments);
    }

private:
    // The exception destroys the reply, which is then never given.
    static void lose(plugboard::Reply reply) {
        try {
            plugboard::Reply lost = std::move(reply);
            throw std::runtime_error("caught by the plugin");
        } catch (const std::exception &) {
        }
    }

    plugboard::Host host_;
    plugboard::Counter closed_;
    std::thread waker_;
};

const plug_option_v1 settings[] = {
    plugboard::option(PLUG_TYPE_TEXT, "refuse", "no", "Whether it refuses to be made.", 0, 0, 0, "yes no"),
    plugboard::secret(plugboard::option(PLUG_TYPE_TEXT, "key", "none", "A secret.")),
};
const plug_option_v1 attributes[] = {
    plugboard::option(PLUG_TYPE_TEXT, "left", "", "Needs right."),
    plugboard::option(PLUG_TYPE_TEXT, "right", "", "Needs left."),
};
const plug_command_v1 commands[] = {
    {PLUG_TEXT("echo"), PLUG_TEXT("{}"), PLUG_TEXT("Replies with its arguments."), 0},
    {PLUG_TEXT("throw"), PLUG_TEXT("{}"), PLUG_TEXT("Throws."), 0},
    {PLUG_TEXT("lose"), PLUG_TEXT("{}"), PLUG_TEXT("Throws, and catches that itself."), 0},
};

}  // namespace

PLUGBOARD_METADATA(tour, "com.example.tour", "1.0.0");
PLUGBOARD_PLUGIN(tour) plugboard::Manifest<Tour>("com.example.tour", "1.0.0")
    .documentation("Walks through the shim.")
    .priority(300)
    .settings(settings)
    .attributes(attributes)
    .commands(commands);
