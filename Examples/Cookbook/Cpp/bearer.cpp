// The service of another plugin: authorizes each request with the token that com.example.tokens/1 has for its host.
// Without that plugin, requests go on as they are.
#include <plugboard.hpp>

#include "../C/tokens.h"

namespace {

class Bearer {
public:
    Bearer(plugboard::Host host, plugboard::Settings) : host_(host) {}

    void start() { tokens_ = host_.service<tokens_v1>(TOKENS_1); }

    plugboard::Verdict on_request(plugboard::Exchange &exchange) {
        auto request = exchange.request();
        auto url = host_.url_parts(request.url());
        if (tokens_ == nullptr || !url) return plugboard::Verdict::next();
        auto token = plugboard::optional_view(tokens_->token(tokens_->context, plugboard::text(url->host)));
        try {
            if (token) request.set_field("Authorization", "Bearer " + std::string(*token));
        } catch (const plugboard::Error &) {   // not a fault of this plugin
            return exchange.fail("com.example.bearer.token",
                "The token for the request's host cannot be a field: it has a line break, or is too long.");
        }
        return plugboard::Verdict::next();
    }

private:
    plugboard::Host host_;
    const tokens_v1 *tokens_ = nullptr;
};

const plug_text needs[] = {PLUG_LITERAL(TOKENS_1 "?")};   // ?: it may be missing

}  // namespace

PLUGBOARD_METADATA(bearer, "com.example.bearer", "1.0.0");
PLUGBOARD_PLUGIN(bearer) plugboard::Manifest<Bearer>("com.example.bearer", "1.0.0")
    .documentation("Authorizes requests with tokens of another plugin.")
    .priority(520)
    .needs(needs);
