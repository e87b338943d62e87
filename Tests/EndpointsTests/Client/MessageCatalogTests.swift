import PlugboardEndpoints
import PlugboardMessages
import Testing

@Suite struct MessageCatalogTests {
    private let catalog = MessageCatalog(
        [
            "en": [
                "timeout": "Too slow.", "response.status": "Status {status}: {reason} ({code}, {x}, {{)",
                "*": "Failed.",
            ],
            "de": ["timeout": "Zu langsam.", "timeout.connect": "Keine Verbindung."],
            "de_AT": ["timeout": "Zu laungsaum."],
        ], languages: ["fr", "de-AT"], fallback: "en")

    private func message(_ code: PlugboardError.Code, _ languages: [String]? = nil) -> String {
        catalog.message(for: PlugboardError(code, "The {status}."), languages: languages)
    }

    @Test func `a code finds its own text, then that of the beginning of its name, then the general one`() {
        #expect(message(.timeoutConnect, ["de"]) == "Keine Verbindung.")
        #expect(message(.timeoutIdle, ["de"]) == "Zu langsam.")
        #expect(message("timeouts", ["en"]) == "Failed.")
        #expect(message(.transportDNS, ["en"]) == "Failed.")
    }

    @Test func `the first language with a text counts, each with its region first, then the fallback`() {
        #expect(message(.timeoutIdle) == "Zu laungsaum.")
        #expect(message(.timeoutConnect) == "Zu laungsaum.")
        #expect(message(.timeoutConnect, ["de-CH-1996", "en"]) == "Keine Verbindung.")
        #expect(message(.transportDNS) == "Failed.")
        #expect(message(.timeoutIdle, ["DE_at.UTF-8@euro"]) == "Zu laungsaum.")
        #expect(message(.timeoutIdle, ["pl", ""]) == "Too slow.")
    }

    @Test func `parts of the error stand in for their names, once`() {
        var error = PlugboardError(.responseStatus, "The {status}.")
        error.response = ResponseExcerpt(
            head: ResponseHead(status: 404), url: "https://a.test", firstBytes: .empty, isWhole: true)

        #expect(catalog.message(for: error, languages: []) == "Status 404: The {status}. (response.status, {x}, {{)")
    }

    @Test func `a text is found by its name in the language of the user, and there is none in general`() {
        let catalog = MessageCatalog(
            ["en": ["indicator.topics": "Topics", "*": "Failed."], "de": ["indicator": "Moment"]],
            languages: ["de-AT"], fallback: "en")

        #expect(catalog.text("indicator.topics") == "Moment")
        #expect(catalog.text("indicator.topics", languages: ["fr"]) == "Topics")
        #expect(catalog.text("indicator.news", languages: ["fr"]) == nil)
        #expect(MessageCatalog().text("indicator") == nil)
    }

    @Test func `without a text the message is the reason`() {
        #expect(MessageCatalog().message(for: PlugboardError(.kernel, "Why.")) == "Why.")
        #expect(
            MessageCatalog(["de": ["timeout": "x"]], languages: ["de"]).message(for: PlugboardError(.kernel, "Why."))
                == "Why.")
    }
}
