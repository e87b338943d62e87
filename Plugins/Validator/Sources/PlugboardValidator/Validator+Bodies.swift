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

    func check(_ exchange: borrowing Exchange, _ schema: JSONSchema) -> RequestVerdict {
        let judge = judge(exchange, "request")
        // A request that is sent in part cannot be taken back, so that only the mode warn lets it flow.
        let flows = judge.mode == .warn
        let knowledge = knowledge(exchange)
        knowledge.body = nil
        exchange.wrapRequestBody { inner in
            let body = CheckedBody(inner, schema, judge, passesLarger: flows ? settings.passesLarger : nil)
            knowledge.body = body
            return body
        }
        return flows ? .next : .hold(upTo: judge.limit)
    }

    func check(_ exchange: borrowing Exchange, _ schema: JSONSchema) -> ResponseVerdict {
        let judge = judge(exchange, "response")
        let flows = judge.mode == .warn || exchange[ValidatorAttributes.keys.streams] ?? settings.streams
        let knowledge = knowledge(exchange)
        knowledge.body = nil
        exchange.wrapResponseBody { inner in
            let body = CheckedBody(inner, schema, judge, passesLarger: flows ? settings.passesLarger : nil)
            knowledge.body = body
            return body
        }
        return flows ? .next : .hold(upTo: judge.limit)
    }

    /// A held body has come to its end, so it is valid; where there was none, nothing was checked.
    func held(_ exchange: borrowing Exchange, _ what: String) -> PlugboardError? {
        let knowledge = knowledge(exchange)
        defer { knowledge.body = nil }
        guard knowledge.body == nil else { return nil }
        let judge = judge(exchange, what)
        do throws(JSONDocumentError) { _ = try JSONDocument("") } catch { return judge.judge(judge.error(of: error)) }
        return nil
    }

    func overLimit(_ exchange: borrowing Exchange, _ what: String) -> PlugboardError? {
        let knowledge = knowledge(exchange)
        defer { knowledge.body = nil }
        guard settings.passesLarger else { return judge(exchange, what).tooLarge }
        knowledge.body?.letPass()
        return nil
    }
}
