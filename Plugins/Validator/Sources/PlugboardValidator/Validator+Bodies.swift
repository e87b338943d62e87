import PlugboardJSONSchema
import PlugboardKit
import PlugboardValidatorOptions

/// Puts the check around a body, and decides after a hold.
extension Validator {
    func judge(_ exchange: borrowing Exchange, _ what: String) -> Judge {
        Judge(
            host: host, checked: checked, invalid: invalid, exchange: exchange.id,
            url: Printable.url(exchange.request.url), what: what, mode: mode(exchange),
            limit: exchange[ValidatorAttributes.keys.limit] ?? settings.limit)
    }

    /// A body cannot be checked: the error to fail with, or nil in the mode warn, which publishes and logs it.
    func unchecked(_ exchange: borrowing Exchange, _ error: PlugboardError) -> PlugboardError? {
        guard mode(exchange) == .warn else { return error }
        host.publish("validator.unchecked", exchange: exchange.id, details: Fields(["reason": error.reason]))
        host.log(.warning, "\(Printable.url(exchange.request.url)): The body is not checked. \(error.reason)")
        return nil
    }

    /// The error of a body with a content coding, whose bytes are not JSON.
    private func coding(_ head: borrowing Head, _ what: String) -> PlugboardError? {
        guard head.contains(.contentEncoding),
            let coding = head.fields.values(.contentEncoding).first(where: { value in
                !value.isEmpty && value.lowercased() != "identity"
            })
        else { return nil }
        return PlugboardError(
            .validatorCoding,
            "The \(what)'s body has the content coding \(Printable.text(coding)), so that validator cannot read it. "
                + (what == "response"
                    ? "Add the plugin decode, and leave Accept-Encoding to it." : "Compress it in a plugin further in.")
        )
    }

    func check(_ exchange: borrowing Exchange, _ schema: JSONSchema) -> RequestVerdict {
        if let error = coding(exchange.request, "request") {
            return unchecked(exchange, error).map { .fail($0) } ?? .next
        }
        let judge = judge(exchange, "request")
        // A request that is sent in part cannot be taken back, so that only the mode warn lets it flow.
        let flows = judge.mode == .warn
        let knowledge = knowledge(exchange)
        knowledge.hasBody = false
        exchange.wrapRequestBody { inner in
            knowledge.hasBody = true
            return CheckedBody(inner, schema, judge, passesLarger: flows ? settings.passesLarger : nil)
        }
        return flows ? .next : .hold(upTo: judge.limit)
    }

    func check(_ exchange: borrowing Exchange, _ schema: JSONSchema) -> ResponseVerdict {
        if let response = exchange.response, let error = coding(response, "response") {
            return unchecked(exchange, error).map { .fail($0) } ?? .next
        }
        let judge = judge(exchange, "response")
        let flows = judge.mode == .warn || exchange[ValidatorAttributes.keys.streams] ?? settings.streams
        let knowledge = knowledge(exchange)
        knowledge.hasBody = false
        exchange.wrapResponseBody { inner in
            knowledge.hasBody = true
            return CheckedBody(inner, schema, judge, passesLarger: flows ? settings.passesLarger : nil)
        }
        return flows ? .next : .hold(upTo: judge.limit)
    }

    /// A held body has come to its end, so it is valid; where there was none, nothing was checked.
    func held(_ exchange: borrowing Exchange, _ what: String) -> PlugboardError? {
        guard !knowledge(exchange).hasBody else { return nil }
        let judge = judge(exchange, what)
        // The error of an empty text.
        do throws(JSONDocumentError) { _ = try JSONDocument("") } catch { return judge.judge(judge.error(of: error)) }
        return nil
    }

    func overLimit(_ exchange: borrowing Exchange, _ what: String) -> PlugboardError? {
        guard !settings.passesLarger else { return nil }
        let judge = judge(exchange, what)
        return judge.judge(judge.tooLarge)
    }
}
