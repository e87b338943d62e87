// A plugin in C++: adds a field to each request, and turns what it throws into a fault, because no exception may cross
// the border.
#include <plugboard.h>

#include <exception>
#include <string>

static void *create(const plug_host_v1 *host, const plug_settings *) { return const_cast<plug_host_v1 *>(host); }

static plug_verdict on_request(void *self, plug_exchange *exchange) {
    auto host = static_cast<const plug_host_v1 *>(self);
    try {
        std::string value = "from C++";
        host->set_field(host->request(exchange), PLUG_TEXT("x-language"), plug_make_text(value.data(), value.size()));
        return PLUG_VERDICT_NEXT;
    } catch (const std::exception &error) {
        return host->fault(exchange, plug_make_text(error.what(), std::string(error.what()).size()));
    } catch (...) {
        return host->fault(exchange, PLUG_TEXT("threw an object that is not a std::exception"));
    }
}

static plug_plugin_v1 describe() {
    plug_plugin_v1 plugin = {};
    plugin.abi_revision = PLUG_ABI_REVISION;
    plugin.hooks = PLUG_ON_REQUEST;
    plugin.id = PLUG_TEXT("com.example.cplusplus");
    plugin.version = PLUG_TEXT("1.0.0");
    plugin.documentation = PLUG_TEXT("Adds a field to each request.");
    plugin.priority = 500;
    plugin.create = create;
    plugin.on_request = on_request;
    return plugin;
}

PLUGBOARD_METADATA(cplusplus, "com.example.cplusplus", "1.0.0");
PLUGBOARD_PLUGIN(cplusplus) describe();
