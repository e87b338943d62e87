import PlugboardKit
import PlugboardObserving

// Writes exchanges as entries of HAR 1.2, one for each attempt, so that redirects and retries appear as in browsers.
// Members whose names begin with `_` contain what HAR has no member for.

extension Recording {
    /// The exchange without its secrets.
    func record(_ id: Int64, _ redaction: Redaction) -> Record {
        Record(
            id: id, date: date, took: took, method: method, url: redaction.url(url),
            host: Origin(url: url)?.host ?? "", status: response?.status, failure: failure?.code.name, label: label,
            isUnderWay: isUnderWay, entries: entries(redaction))
    }

    private func entries(_ redaction: Redaction) -> [JSONValue] {
        if attempts.isEmpty { return [entry(nil, isLast: true, redaction)] }
        return attempts.indices.map { entry(attempts[$0], isLast: $0 == attempts.count - 1, redaction) }
    }

    private func entry(_ attempt: Attempt?, isLast: Bool, _ redaction: Redaction) -> JSONValue {
        let timings = HARTimings(attempt, took: took)
        let head = isLast ? response ?? attempt?.response : attempt?.response
        let version = HARText.version(attempt?.version)
        var entry: JSONObject = [
            // HAR counts the wait for a connection among the attempt's times.
            "startedDateTime": .string(HARText.date(date + (attempt.map { $0.began - $0.waited } ?? .zero))),
            "time": timings.total,
            "request": requestJSON(attempt, version, redaction),
            "response": responseJSON(
                head, isLast ? responseBody : nil, version, attempt?.received ?? (attempt == nil ? 0 : -1), redaction),
            "cache": storedResponse,
            "timings": timings.json,
        ]
        if let address = attempt?.address { entry["serverIPAddress"] = .string(address) }
        if let port = attempt?.localPort { entry["connection"] = .string("\(port)") }
        if let attempt {
            entry["_attempt"] = .number(JSONNumber(attempt.number))
            entry["_reason"] = .string(attempt.reason)
            entry["_step"] = .number(JSONNumber(attempt.step))
            if !attempt.interim.isEmpty {
                entry["_interim"] = .array(
                    attempt.interim.map { head in
                        [
                            "status": .number(JSONNumber(head.status)),
                            "headers": HARText.headers(redaction.fields(head.fields)),
                        ]
                    })
            }
        }
        if isLast { addOutcome(to: &entry, redaction) }
        return .object(entry)
    }

    private func addOutcome(to entry: inout JSONObject, _ redaction: Redaction) {
        if isUnderWay {
            entry["_outcome"] = "under way"
        } else if let outcome {
            entry["_outcome"] = .string("\(outcome)")
        }
        if let failure {
            entry["_error"] = .string("\(failure.code): \(Printable.text(failure.reason))")
        }
        if let label { entry["_label"] = .string(label) }
        if let asker {
            entry["_sentBy"] = .string(asker.plugin)
            if let exchange = asker.exchange { entry["_for"] = .number(JSONNumber(exchange)) }
        }
        if let responder { entry["_respondedBy"] = .string(responder) }
        if let trailers = responseBody?.trailers, !trailers.isEmpty {
            entry["_trailers"] = HARText.headers(redaction.fields(trailers))
        }
        if !calls.isEmpty { entry["_calls"] = .array(calls.map(Recording.json)) }
        guard !facts.isEmpty else { return }
        entry["_events"] = .array(
            facts.map { fact in
                var event: JSONObject = [
                    "step": .number(JSONNumber(fact.step)), "id": .string(fact.id),
                    "at": HARText.milliseconds(fact.at),
                ]
                for (name, value) in fact.details where event[name] == nil { event[name] = .string(value) }
                return .object(event)
            })
    }

    private static func json(_ call: Call) -> JSONValue {
        var json: JSONObject = [
            "step": .number(JSONNumber(call.step)), "plugin": .string(call.plugin), "hook": .string(call.hook),
            "verdict": .string(call.verdict), "took": HARText.milliseconds(call.took),
        ]
        if call.visit != "first" { json["visit"] = .string(call.visit) }
        if !call.changed.isEmpty { json["changed"] = .array(call.changed.map { .string($0) }) }
        return .object(json)
    }

    /// HAR's `cache`; empty unless the plugin `cache` has responded.
    private var storedResponse: JSONValue {
        let stored = ["cache.hit", "cache.stale", "cache.revalidated"]
        guard let fact = facts.last(where: { stored.contains($0.id) }) else { return .object([:]) }
        return [
            "beforeRequest": [
                "lastAccess": .string(HARText.date(date + fact.at)),
                "eTag": .string(response?.fields["ETag"] ?? ""), "hitCount": 1, "_status": .string(fact.id),
            ]
        ]
    }

    // MARK: Messages

    private func requestJSON(_ attempt: Attempt?, _ version: String, _ redaction: Redaction) -> JSONValue {
        let shown = redaction.url(attempt?.url ?? url)
        var request: JSONObject = [
            "method": .string(attempt?.method ?? method), "url": .string(shown), "httpVersion": .string(version),
            "cookies": [], "headers": HARText.headers(redaction.fields(fields(of: attempt))),
            "queryString": HARText.query(of: shown), "headersSize": -1, "bodySize": isRequestBodyRecorded ? 0 : -1,
        ]
        // Not the route itself, because the address of a proxy can hold a password.
        if hasRoute { request["_route"] = "own" }
        // A redirect that changes the method drops the body.
        if let body = requestBody, attempt?.method ?? method == method {
            var data: JSONObject = ["mimeType": .string(self.request[.contentType] ?? "")]
            HARText.addContent(body, self.request, to: &data, encoding: "_encoding", redaction)
            request["postData"] = .object(data)
            request["bodySize"] = .number(JSONNumber(body.count))
        }
        return .object(request)
    }

    /// The fields of the first request; without those that describe a body if an attempt has another method.
    private func fields(of attempt: Attempt?) -> Fields {
        guard let attempt, attempt.method != method else { return self.request }
        var fields = self.request
        for field in self.request where field.name.lowercased().hasPrefix("content-") {
            fields.remove(FieldName(field.name))
        }
        return fields
    }

    private func responseJSON(
        _ head: Head?, _ body: BodyCapture?, _ version: String, _ received: Int, _ redaction: Redaction
    ) -> JSONValue {
        let fields = head?.fields ?? Fields()
        let type = fields[.contentType] ?? ""
        var content: JSONObject = [
            "size": .number(JSONNumber(body?.count ?? 0)), "mimeType": .string(type.isEmpty ? "x-unknown" : type),
        ]
        if let body { HARText.addContent(body, fields, to: &content, encoding: "encoding", redaction) }
        return [
            "status": .number(JSONNumber(head?.status ?? 0)), "statusText": "", "httpVersion": .string(version),
            "cookies": [], "headers": HARText.headers(redaction.fields(fields)), "content": .object(content),
            "redirectURL": .string(fields[.location].map { redaction.url($0) } ?? ""), "headersSize": -1,
            "bodySize": .number(JSONNumber(received)),
        ]
    }
}
