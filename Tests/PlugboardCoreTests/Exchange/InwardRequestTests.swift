import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

/// What each slot sees of a request that several slots edit.
@Suite struct InwardRequestTests {
    private func edit(_ request: inout InwardRequest, at slot: Int) {
        request.willEdit(at: slot, body: nil)
        request.head.url += "\(slot)"
    }

    @Test func `a slot sees the request as it passed it inward`() {
        var request = InwardRequest(Request(.get, "http://a.test/"))
        for slot in 1...3 { edit(&request, at: slot) }

        var seen: [String] = []
        for slot in (0...3).reversed() {
            _ = request.recall(for: slot)
            seen.append(request.head.url)
        }

        #expect(seen == ["http://a.test/123", "http://a.test/12", "http://a.test/1", "http://a.test/"])
    }

    @Test func `two edits of one slot are one version`() {
        var request = InwardRequest(Request(.get, "http://a.test/"))
        edit(&request, at: 1)
        edit(&request, at: 1)

        _ = request.recall(for: 0)

        #expect(request.head.url == "http://a.test/")
    }

    @Test func `the edits of an outward hook that does not resend are undone`() {
        var request = InwardRequest(Request(.get, "http://a.test/"))
        request.willEditOutward()
        request.head.url = "http://b.test/"
        let isEdited = request.isEditedOutward

        request.undoEdit()

        #expect(isEdited)
        #expect(request.head.url == "http://a.test/")
        #expect(!request.isEditedOutward)
    }

    @Test func `the edits of an outward hook that resends are kept, and hidden from slots further out`() {
        var request = InwardRequest(Request(.get, "http://a.test/"))
        request.willEditOutward()
        request.head.url = "http://b.test/"

        request.keepEdit(of: 2)
        let (kept, before) = (request.head.url, request.urlBeforeResend)
        _ = request.recall(for: 1)

        #expect((kept, before) == ("http://b.test/", "http://a.test/"))
        #expect(request.head.url == "http://a.test/")
    }

    @Test func `going back undoes the edits of one slot, and no others`() {
        var request = InwardRequest(Request(.get, "http://a.test/"))
        edit(&request, at: 1)
        let found = request.snapshot
        edit(&request, at: 2)

        request.goBack(to: found)
        let after = request.head.url
        edit(&request, at: 3)
        _ = request.recall(for: 2)
        let recalled = request.head.url
        _ = request.recall(for: 0)

        #expect((after, recalled) == ("http://a.test/1", "http://a.test/1"))
        #expect(request.head.url == "http://a.test/")
    }

    @Test func `going back undoes the edits of an outward hook`() {
        var request = InwardRequest(Request(.get, "http://a.test/"))
        edit(&request, at: 1)
        let found = request.snapshot
        request.willEditOutward()
        request.head.url = "http://b.test/"

        request.goBack(to: found)

        #expect(request.head.url == "http://a.test/1" && !request.isEditedOutward)
    }

    @Test func `what each slot finds takes the same time, however many have edited before`() {
        expectLinearTime("edits", size: 1500, input: { $0 }) { count in
            var request = InwardRequest(Request(.get, "http://a.test/"))
            for slot in 0..<count {
                let found = request.snapshot
                request.willEdit(at: slot, body: nil)
                withExtendedLifetime(found) {}
            }
        }
    }
}
