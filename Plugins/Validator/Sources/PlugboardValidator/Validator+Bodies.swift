import PlugboardJSONSchema
import PlugboardKit
import PlugboardValidatorOptions

/// Puts the check around a body, and decides after a hold.
extension Validator {
    /// The most bytes of a value that an error quotes, if the setting asks for it.
    private static let valueLimit = 128

    func judge(_ exchange: borrowing Exchange, _ side: Side) -> Judge {
        Judge(
            host: host, checked: checked, invalid: invalid, exchange: exchange.id,
            url: Printable.url(exchange.request.url), side: side, mode: mode(exchange),
            limit: exchange[ValidatorAttributes.keys.limit] ?? settings.limit,
            valueLimit: settings.showsValues ? Validator.valueLimit : 0)
    }

    /// The error to fail with for a body that cannot be checked; nil in the mode warn, which publishes and logs it.
    func unchecked(_ exchange: borrowing Exchange, _ error: PlugboardError) -> PlugboardError? {
        guard mode(exchange) == .warn else { return error }
        host.publish("validator.unchecked", exchange: exchange.id, details: Fields(["reason": error.reason]))
        host.log(.warning, "\(Printable.url(exchange.request.url)): The body is not checked. \(error.reason)")
        return nil
    }

    /// The error of a body with a content coding, whose bytes are not JSON.
    private func coding(_ exchange: borrowing Exchange, _ side: Side) -> PlugboardError? {
        let isCoded =
            side == .request
            ? exchange.request.contains(.contentEncoding) : exchange.response?.contains(.contentEncoding) == true
        guard isCoded, let fields = side == .request ? exchange.request.fields : exchange.response?.fields,
            let coding = fields.values(.contentEncoding).first(where: { value in
                !value.isEmpty && value.lowercased() != "identity"
            })
        else { return nil }
        return PlugboardError(
            .validatorCoding,
            "The \(side.rawValue)'s body has the content coding \(Printable.text(coding)), so that validator cannot read "
                + "it. "
                + (side == .response
                    ? "Add the plugin decode, and leave Accept-Encoding to it." : "Compress it in a plugin further in.")
        )
    }

    /// Puts the check around the body.
    func check<Phase: HoldingPhase>(
        _ exchange: borrowing Exchange, _ schema: JSONSchema, _ side: Side
    ) -> Verdict<Phase> {
        if let error = coding(exchange, side) { return failing(unchecked(exchange, error)) }
        let judge = judge(exchange, side)
        // A request that is sent in part cannot be taken back, so only the mode warn sends it while it is checked.
        let streams = side == .response && exchange[ValidatorAttributes.keys.streams] ?? settings.streams
        let flows = judge.mode == .warn || streams
        let passesLarger = flows ? settings.passesLarger : nil
        let knowledge = knowledge(exchange)
        knowledge.hasBody = false
        let wrap: (InnerBody) -> CheckedBody = { inner in
            knowledge.hasBody = true
            return CheckedBody(inner, schema, judge, passesLarger: passesLarger)
        }
        switch side {
        case .request: exchange.wrapRequestBody(wrap)
        case .response: exchange.wrapResponseBody(wrap)
        }
        return flows ? .next : .hold(upTo: judge.limit)
    }

    /// A held body was read to its end, so it is valid. If there was no body, nothing was checked.
    func held(_ exchange: borrowing Exchange, _ side: Side) -> PlugboardError? {
        guard !knowledge(exchange).hasBody else { return nil }
        let judge = judge(exchange, side)
        // The same error as for an empty text.
        do throws(JSONDocumentError) { _ = try JSONDocument("") } catch { return judge.judge(judge.error(of: error)) }
        return nil
    }

    func overLimit(_ exchange: borrowing Exchange, _ side: Side) -> PlugboardError? {
        guard !settings.passesLarger else { return nil }
        let judge = judge(exchange, side)
        return judge.judge(judge.tooLarge)
    }
}
