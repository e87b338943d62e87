import Foundation
import PlugboardFoundation
import PlugboardMessages
import Testing

@Suite struct `An error under Foundation` {
    private let error = PlugboardError(
        .transportConnect, "a.test cannot be reached.", plugin: "retry", attempt: 2, underlying: "Connection refused")

    @Test func `an error of unknown type describes itself`() {
        let unknown: any Error = error

        #expect(unknown.localizedDescription == error.description)
        #expect(error.localizedDescription == error.description)
        #expect((unknown as? any LocalizedError)?.failureReason == "a.test cannot be reached.")
    }

    @Test func `as an NSError it keeps its properties`() {
        let bridged = error as NSError

        #expect(bridged.domain == "Plugboard" && bridged.code == 1)
        #expect(bridged.localizedDescription == error.description)
        #expect(bridged.localizedFailureReason == "a.test cannot be reached.")
        #expect(bridged.userInfo["code"] as? String == "transport.connect")
        #expect(bridged.userInfo["plugin"] as? String == "retry")
        #expect(bridged.userInfo["attempt"] as? Int == 2)
        #expect(bridged.userInfo["underlying"] as? String == "Connection refused")
    }

    @Test func `what an error does not have is not in the NSError`() {
        let bridged = PlugboardError(.cancelled, "The task was cancelled.") as NSError

        #expect(bridged.localizedDescription == "cancelled: The task was cancelled.")
        #expect(Set(bridged.userInfo.keys).isDisjoint(with: ["plugin", "attempt", "underlying"]))
    }
}
