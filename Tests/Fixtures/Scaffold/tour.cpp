// A plugin that walks through plugboard.hpp: what a request says in `x-tour` decides what it does, or how it breaks.
#include <plugboard.hpp>

#include <atomic>
#include <cctype>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

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

// Keeps each piece for two readers: one goes on, and the other's size is told.
class Kept : public plugboard::Source {
public:
    Kept(plugboard::Host host, Body inner) : host_(host), inner_(std::move(inner)) {}
    uint64_t length() const override { return inner_.length(); }
    void pull(Pull pull) override {
        inner_.pull([pull = std::move(pull), host = host_](const plug_piece_v1 &piece) mutable {
            if (piece.kind != PLUG_PIECE_BYTES) return pull.forward(piece);
            auto one = host.keep(piece), other = host.keep(piece);
            pull.give(std::move(one));
            host.log(PLUG_LOG_WARNING, "kept " + std::string(other.view()));
        });
    }

private:
    plugboard::Host host_;
    Body inner_;
};

// The table of com.example.numbers/1.
struct Numbers {
    void *context;
    int64_t (*twice)(void *context, int64_t number);
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
        gives_service_ = settings.string("refuse") != "service";
    }

    void check(const plugboard::Fields &attributes) {
        if (attributes.size() < 2) throw std::runtime_error(attributes[0].first + " is not enough.");
    }

    void start() {
        closed_ = host_.counter("closed");
        auto never = std::make_unique<Told>(host_, "the timer that was never due is let go of");
        host_.after(std::chrono::hours(1), [never = std::move(never)] {});
    }
    const void *service(std::string_view id) {
        if (!gives_service_ || id != "com.example.tour/1") throw std::runtime_error("It was told to give none.");
        return this;
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
        if (what == "like") return send_copy(exchange);
        if (what.rfind("watch", 0) == 0) return watch(exchange, what == "watch-throw");
        if (what.rfind("block", 0) == 0) return block(exchange, what == "block-throw");
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

    // A pipe wakes the ticket when it is readable; or that throws, and its release wakes.
    Verdict watch(Exchange &exchange, bool throws) {
        plug_ticket ticket = 0;
        Verdict verdict = exchange.wait(ticket, std::chrono::seconds(30));
        int ends[2];
        if (pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0) throw std::runtime_error("there is no pipe");
        auto own = host_.watch(
            ends[0], 0,
            [throws, end = ends[0]](plugboard::Watch watch, plug_readiness ready) {
                char byte = 0;
                if (throws) throw std::runtime_error("thrown by a watch");
                if ((ready & PLUG_READY_READ) == 0 || read(end, &byte, 1) != 1) abort();
                if (!watch.cancel() || watch.cancel() || watch.change(0)) abort();
            },
            [host = host_, ticket, ends, throws] {
                close(ends[0]);
                close(ends[1]);
                host.wake(ticket);
                if (throws) throw std::runtime_error("thrown by a release");
            });
        if (write(ends[1], "x", 1) != 1 || !own.value().change(PLUG_READY_READ)) abort();
        return verdict;
    }

    // What is done wakes the ticket, also where the work throws.
    Verdict block(Exchange &exchange, bool throws) {
        plug_ticket ticket = 0;
        Verdict verdict = exchange.wait(ticket, std::chrono::seconds(30));
        host_.run_blocking(
            [host = host_, throws] {
                if (host.current_loop() != 0) abort();
                if (throws) throw std::runtime_error("thrown by work");
            },
            [host = host_, ticket, throws, told = std::make_unique<Told>(host_, "the work is let go of")] {
                if (host.current_loop() != 0) host.wake(ticket);
                if (throws) throw std::runtime_error("thrown by what follows work");
            });
        return verdict;
    }

    // A copy of the exchange's request to another URL.
    Verdict send_copy(Exchange &exchange) {
        plug_ticket ticket = 0;
        Verdict verdict = exchange.wait(ticket, std::chrono::seconds(30));
        auto found = exchange.state<Seen>()->found = std::make_shared<plugboard::Collected>();
        plugboard::Request request;
        request.is_like_exchange = true;
        request.url = exchange.resolve("/copied").value();
        auto collected = [host = host_, ticket, found](plugboard::Collected collected) {
            *found = std::move(collected);
            host.wake(ticket);
        };
        host_.send(std::move(request), exchange.id(),
            [collected](plugboard::SubResponse subresponse) { subresponse.collect(100, collected); });
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
        if (seen != nullptr && seen->what == "keep") {
            exchange.set_response_body(
                Body::of(host_, std::make_unique<Kept>(host_, exchange.take_response_body())));
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
        if (name == "facts") return facts(std::move(reply));
        reply.json(arguments);
    }

    // Arguments, the parts of one that is a URL, the plugin's metrics, and what a service says.
    void facts(plugboard::Reply reply) {
        auto number = reply.argument_integer("number").value_or(-1);
        auto name = reply.argument_string("name").value_or("none");
        std::string text = std::to_string(number) + " " + name;
        for (const auto &item : reply.argument_items("list")) text += "," + item.second;
        for (const auto &item : reply.argument_items("map")) text += "," + item.first + "=" + item.second;
        if (reply.argument_integer("name") || reply.argument_string("missing")) abort();
        auto url = reply.argument_string("url").value();
        auto parts = host_.url_parts(url).value();
        if (parts.userinfo || parts.fragment || host_.url_parts("/relative")) abort();
        text += " " + std::string(parts.scheme) + " " + std::string(parts.host) + " " + std::to_string(parts.port);
        text += " " + std::string(parts.path) + " " + std::string(parts.query.value_or("none"));

        host_.counter("sent", {{"status", "2xx"}}).add(2);
        auto open = host_.gauge("open");
        open.set(7);
        open.add(-2);
        auto times = host_.histogram("times", {10});
        times.observe(3);
        times.observe(plugboard::Duration(20));
        for (const auto &metric : host_.metrics()) {
            if (metric.name.rfind("com.example.tour.", 0) != 0) continue;
            text += " " + metric.name.substr(17) + std::to_string(metric.kind);
            for (const auto &label : metric.labels) text += "," + label.first + "=" + label.second;
            text += ":" + std::to_string(metric.value);
            for (auto bound : metric.bounds) text += "," + std::to_string(bound);
            for (auto count : metric.counts) text += "/" + std::to_string(count);
        }
        auto numbers = host_.service<Numbers>("com.example.numbers/1");
        text += " " + (numbers == nullptr ? "none" : std::to_string(numbers->twice(numbers->context, 21)));
        reply.json("\"" + text + "\"");
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
    bool gives_service_ = true;
};

const plug_option_v1 settings[] = {
    plugboard::option(PLUG_TYPE_TEXT, "refuse", "no", "Whether it refuses to be made.", 0, 0, 0, "yes no service"),
    plugboard::secret(plugboard::option(PLUG_TYPE_TEXT, "key", "none", "A secret.")),
};
const plug_option_v1 attributes[] = {
    plugboard::option(PLUG_TYPE_TEXT, "left", "", "Needs right."),
    plugboard::option(PLUG_TYPE_TEXT, "right", "", "Needs left."),
};
const plug_command_v1 commands[] = {
    {PLUG_TEXT("echo"), PLUG_TEXT("{}"), PLUG_TEXT("Replies with its arguments."), 0},
    {PLUG_TEXT("facts"), PLUG_TEXT("{}"), PLUG_TEXT("Replies with what it finds."), 0},
    {PLUG_TEXT("throw"), PLUG_TEXT("{}"), PLUG_TEXT("Throws."), 0},
    {PLUG_TEXT("lose"), PLUG_TEXT("{}"), PLUG_TEXT("Throws, and catches that itself."), 0},
};
const plug_text provides[] = {PLUG_TEXT("com.example.tour/1")};
const plug_text needs[] = {PLUG_TEXT("com.example.numbers/1?")};

}  // namespace

PLUGBOARD_METADATA(tour, "com.example.tour", "1.0.0");
PLUGBOARD_PLUGIN(tour) plugboard::Manifest<Tour>("com.example.tour", "1.0.0")
    .documentation("Walks through the shim.")
    .priority(300)
    .settings(settings)
    .attributes(attributes)
    .commands(commands)
    .provides(provides)
    .needs(needs);
