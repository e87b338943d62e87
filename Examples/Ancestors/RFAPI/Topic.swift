import PlugboardEndpoints

/// The type that the definitions call "Topic".
struct Topic: Decodable, Sendable {
    let id: Int
    let title: String
}

/// A value that the program makes of a topic: definitions call it "Headline".
struct Headline: Sendable { let text: String }

struct Theme: Codable, Sendable { let name: String }

/// Texts for people about errors and running requests, by language and code.
let messages = MessageCatalog(
    [
        "en": [
            "response.status": "The server did not like that ({status}).", "*": "That did not work.",
            "indicator.account": "Loading the account", "indicator.list": "Refreshing",
        ],
        "de": [
            "response.status": "Das mochte der Server nicht ({status}).", "*": "Das hat nicht geklappt.",
            "indicator.account": "Das Konto wird geladen", "indicator.list": "Wird aufgefrischt",
        ],
    ], fallback: "en")
