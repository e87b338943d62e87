// Changing a body while it flows: replaces the values of named members of JSON by "***", in requests and responses.
#include <plugboard.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace {

using Names = std::set<std::string, std::less<>>;

bool is_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

unsigned hexadecimal(char byte) {
    if (byte >= '0' && byte <= '9') return static_cast<unsigned>(byte - '0');
    if (byte >= 'a' && byte <= 'f') return static_cast<unsigned>(byte - 'a') + 10;
    return byte >= 'A' && byte <= 'F' ? static_cast<unsigned>(byte - 'A') + 10 : 0;
}

// Reads each byte once and never grows, wherever pieces end. A string is a member's name if a colon follows it: no
// nesting is tracked.
class Mask : public plugboard::Transformer {
public:
    explicit Mask(const Names &names) : names_(names) {
        for (const auto &name : names) longest_ = std::max(longest_, name.size());
    }

    void transform(std::string_view bytes, std::string &output) override {
        output.reserve(bytes.size());
        for (char byte : bytes) {
            if (skips(byte)) continue;
            if (state_ == State::before_value && !is_space(byte)) {
                output += "\"***\"";
                begin_skipping(byte);
            } else {
                output += byte;
                read(byte);
            }
        }
    }

    void finish(std::string &) override {
        if (state_ != State::outside) {
            throw plugboard::Break("com.example.mask.cut", "The JSON ended within a string or a member.");
        }
    }

private:
    enum class State {
        outside, string, escape, hex, before_value, skipped_string, skipped_escape, skipped_nest, skipped_word
    };

    // Keeps one byte more than the longest name: that is enough to see a difference.
    void add(char byte) {
        if (name_.size() <= longest_) name_ += byte;
    }

    void read(char byte) {
        switch (state_) {
        case State::outside:
            if (byte == '"') {
                state_ = State::string;
                name_.clear();
            } else if (byte == ':' && is_name_) {
                state_ = State::before_value;
            } else if (!is_space(byte)) {
                is_name_ = false;
            }
            break;
        case State::string:
            if (byte == '"') {
                state_ = State::outside;
                is_name_ = names_.count(name_) > 0;
            } else if (byte == '\\') {
                state_ = State::escape;
            } else {
                add(byte);
            }
            break;
        case State::escape:
            state_ = byte == 'u' ? State::hex : State::string;
            digits_ = code_ = 0;
            // Names that are masked hold no \n, \t and the like.
            if (byte != 'u') add(byte == '"' || byte == '\\' || byte == '/' ? byte : '\0');
            break;
        case State::hex:
            code_ = code_ << 4 | hexadecimal(byte);
            if (++digits_ < 4) break;
            state_ = State::string;
            add(code_ < 0x80 ? static_cast<char>(code_) : '\0');
            break;
        default: break;
        }
    }

    void begin_skipping(char byte) {
        is_name_ = false;
        depth_ = byte == '{' || byte == '[' ? 1 : 0;
        state_ = depth_ > 0 ? State::skipped_nest : byte == '"' ? State::skipped_string : State::skipped_word;
    }

    // Whether the byte belongs to a value that is left out.
    bool skips(char byte) {
        switch (state_) {
        case State::skipped_string:
            if (byte == '\\') state_ = State::skipped_escape;
            if (byte == '"') state_ = depth_ == 0 ? State::outside : State::skipped_nest;
            return true;
        case State::skipped_escape: return state_ = State::skipped_string, true;
        case State::skipped_nest:
            if (byte == '"') state_ = State::skipped_string;
            if (byte == '{' || byte == '[') depth_++;
            if ((byte == '}' || byte == ']') && --depth_ == 0) state_ = State::outside;
            return true;
        case State::skipped_word:
            if (byte != ',' && byte != '}' && byte != ']') return true;
            return state_ = State::outside, false;
        default: return false;
        }
    }

    const Names &names_;
    size_t longest_ = 0;
    State state_ = State::outside;
    std::string name_;   // the string that is being read, with its escapes resolved
    bool is_name_ = false;
    unsigned digits_ = 0, code_ = 0;
    uint64_t depth_ = 0;
};

class MaskedMembers {
public:
    MaskedMembers(plugboard::Host, plugboard::Settings settings) {
        for (const auto &name : settings.items("names")) names_.insert(name.second);
    }

    MaskedMembers(MaskedMembers &&) = delete;

    plugboard::Verdict on_request(plugboard::Exchange &exchange) {
        if (is_json(exchange.request())) exchange.transform_request_body(mask_);
        return plugboard::Verdict::next();
    }

    plugboard::Verdict on_response(plugboard::Exchange &exchange) {
        auto response = exchange.response();
        if (!is_json(*response)) return plugboard::Verdict::next();
        // Compressed bytes cannot be masked.
        if (response->field("content-encoding")) {
            return exchange.fail(
                "com.example.mask.encoded", "The response's JSON is compressed. Enable the plugin decode.");
        }
        exchange.transform_response_body(mask_);
        return plugboard::Verdict::next();
    }

private:
    static bool is_json(const plugboard::Head &head) {
        std::string type(head.field("content-type").value_or(""));
        type = type.substr(0, type.find_first_of("; "));
        std::transform(type.begin(), type.end(), type.begin(), [](unsigned char byte) {
            return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + 32) : static_cast<char>(byte);
        });
        return type == "application/json" || (type.size() > 5 && type.compare(type.size() - 5, 5, "+json") == 0);
    }

    Names names_;
    std::function<std::unique_ptr<plugboard::Transformer>()> mask_ = [this] { return std::make_unique<Mask>(names_); };
};

const plug_option_v1 settings[] = {
    plugboard::option(
        PLUG_TYPE_LIST, "names", "[\"password\"]", "The members whose values are masked, in ASCII.", 1, 100),
};

}  // namespace

PLUGBOARD_METADATA(mask, "com.example.mask", "1.0.0");
PLUGBOARD_PLUGIN(mask) plugboard::Manifest<MaskedMembers>("com.example.mask", "1.0.0")
    .documentation("Masks the values of named members of JSON.")
    .priority(330)
    .settings(settings);
