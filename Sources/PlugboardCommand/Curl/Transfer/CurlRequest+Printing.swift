import Plugboard
import PlugboardKit

extension CurlRequest {
    /// Writes the request as a definition if `--print-definition` names one. False without this option.
    func prints() async throws -> Bool {
        guard let name = group.values["print-definition"] else { return false }
        var request = try request(for: CurlHop(url: url, kind: kind), timeout: timeout)
        // The time is for each repetition.
        if group.values["retry"].flatMap({ Int($0) }) ?? 0 > 0 {
            (request.options.timeout, request.options.attemptTimeout) = (nil, request.options.timeout)
        }
        // The kernel adds these itself.
        request.fields.remove(.contentLength)
        request.fields.remove("Expect")
        try await RequestPrinting(
            arguments: words.arguments, configuration: try words.configuration(),
            showsSecrets: words.output.showSecrets
        ).printDefinition(name, request, nil, leavingOut: group.omittedOptions)
        return true
    }
}

extension CurlGroup {
    /// Options for which the verbs have plugins, and which are not part of the request.
    fileprivate var omittedOptions: [String] {
        let location = self["location-trusted"] ? ["--location-trusted"] : self["location"] ? ["-L"] : []
        let named = ["max-redirs", "retry", "retry-delay", "retry-max-time"].filter { values[$0] != nil }
        let flagged = ["retry-all-errors", "retry-connrefused"].filter { self[$0] }
        return location + (named + flagged).map { "--\($0)" }
    }
}
