// A sub-request: each request waits for a token, which a server gives out, and carries it.
#include <plugboard.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace {

using namespace std::chrono_literals;

// Shared by the exchange and its sub-request: the exchange may end before the response comes.
struct Question {
    plug_ticket ticket = 0;
    std::optional<std::string> token;
};

class Token {
public:
    Token(plugboard::Host host, plugboard::Settings settings) : host_(host), url_(settings.string("url")) {}

    plugboard::Verdict on_request(plugboard::Exchange &exchange) {
        if (exchange.visit() == PLUG_VISIT_FIRST) return ask(exchange);
        const auto &token = (*exchange.state<std::shared_ptr<Question>>())->token;
        if (!token) {
            return exchange.fail("com.example.token.none",
                "No token came within ten seconds. Look whether the setting url is right.");
        }
        exchange.request().set_field("x-token", *token);
        exchange.request().mark_secret("x-token");
        return plugboard::Verdict::next();
    }

private:
    plugboard::Verdict ask(plugboard::Exchange &exchange) {
        auto question = std::make_shared<Question>();
        exchange.set_state(std::make_unique<std::shared_ptr<Question>>(question));
        auto verdict = exchange.wait(question->ticket, 10s);
        plugboard::Request request;
        request.url = url_;
        // Called exactly once: with a response, with a failure, after a cancel.
        host_.send(std::move(request), exchange.id(), [host = host_, question](plugboard::SubResponse response) {
            response.collect(4096, [host, question](plugboard::Collected collected) {
                if (collected.status == 200 && !collected.bytes.empty()) question->token = collected.bytes;
                host.wake(question->ticket);   // False if the exchange does not wait any more.
            });
        });
        return verdict;
    }

    plugboard::Host host_;
    std::string url_;
};

const plug_option_v1 settings[] = {
    plugboard::required(plugboard::option(PLUG_TYPE_TEXT, "url", "", "Where a token is asked for.")),
};

}  // namespace

PLUGBOARD_METADATA(token, "com.example.token", "1.0.0");
PLUGBOARD_PLUGIN(token) plugboard::Manifest<Token>("com.example.token", "1.0.0")
    .documentation("Lets each request carry a token of its own.")
    .priority(450)
    .settings(settings);
