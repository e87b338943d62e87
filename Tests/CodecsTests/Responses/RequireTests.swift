import Plugboard
import TestSupport
import Testing

struct RequireTests {
    private func response(_ status: Int, _ body: Body = .text("oops"), type: String? = "text/plain") -> Response {
        var fields: Fields = ["X-Reason": "r"]
        fields[.contentType] = type
        return Response(
            head: ResponseHead(status: status, fields: fields), body: body, url: "https://a.example/p?token=secret")
    }

    @Test func `a status in the range passes, with its body`() async throws {
        #expect(try await response(204).requireStatus().text() == "oops")
        #expect(try await response(404).requireStatus(400...499).status == 404)
        #expect(try await response(500).requireStatus(200...).status == 500)
    }

    @Test func `another status is an error that keeps head and first bytes, and prints neither`() async throws {
        let error = await #expect(throws: PlugboardError.self) {
            _ = try await response(404, .joined([.text("oops"), .text(" and more")])).requireStatus(keeping: .bytes(6))
        }

        #expect(error?.code == .responseStatus && error?.response?.status == 404)
        #expect(error?.response?.firstBytes == Bytes("oops a") && error?.response?.isWhole == false)
        #expect(error?.response?.head.fields["X-Reason"] == "r")
        #expect(error?.reason == "https://a.example/p?token=… responded with status 404.")
    }

    @Test func `a short body is kept whole, also at the limit`() async throws {
        let error = await #expect(throws: PlugboardError.self) {
            _ = try await response(500).requireStatus(keeping: .bytes(4))
        }
        #expect(error?.response?.isWhole == true && error?.response?.firstBytes.text == "oops")
    }

    @Test func `the rest of a refused body is dropped, and a break of it does not matter`() async throws {
        let endless = PiecesSource(Array(repeating: "0123456789", count: 1000))
        let broken = PiecesSource(["ab"], ending: .broken(PlugboardError(.bodyCut, "cut")))

        let first = await #expect(throws: PlugboardError.self) {
            _ = try await response(500, Body(endless)).requireStatus(keeping: .bytes(25))
        }
        let second = await #expect(throws: PlugboardError.self) {
            _ = try await response(500, Body(broken)).requireStatus()
        }

        #expect(first?.response?.firstBytes.count == 25 && endless.pulls == 3 && endless.releases == 1)
        #expect(second?.code == .responseStatus && second?.response?.firstBytes.text == "ab")
        #expect(second?.response?.isWhole == false)
    }

    @Test func `a cancelled task gets cancelled, and not the refusal`() async throws {
        let cancelled = PlugboardError(.cancelled, "cancelled")

        await #expect(throws: cancelled) {
            _ = try await response(500, Body(PiecesSource(["ab"], ending: .broken(cancelled)))).requireStatus()
        }
    }

    @Test func `a content type that is not accepted is an error that names both`() async throws {
        #expect(try await response(200, type: "application/x+json; a=b").requireType("*/*+json").text() == "oops")

        let html = await #expect(throws: PlugboardError.self) {
            _ = try await response(200, type: "text/html").requireType("application/json", "*/*+json")
        }
        let none = await #expect(throws: PlugboardError.self) {
            _ = try await response(200, type: nil).requireType("application/json")
        }

        #expect(html?.code == .responseType && html?.response?.firstBytes.text == "oops")
        #expect(
            html?.reason == "https://a.example/p?token=… responded with the content type text/html, and not with "
                + "application/json or *\u{2F}*+json.")
        #expect(none?.reason.contains("no content type") == true)
    }
}
