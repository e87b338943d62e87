import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import TestSupport
import Testing

/// Adapters, hooks, judge and error handler of a client.
@Suite struct JudgementTests {
    private struct Get: Endpoint {
        typealias Response = JSONValue
        var path: String { "a" }
        var userInfo: [String: any Sendable] { ["screen": "feed"] }
        var tag: String { "t" }
    }

    /// A server that wraps everything: `{"code": 0, "data": …}`.
    private func client(
        _ body: String, status: Int = 200, _ change: (inout ClientSettings) -> Void = { _ in }
    ) throws -> Client {
        try ResponseTests.client(status, body: body) { settings in
            settings.judge = { outcome in
                guard let code = try? outcome.response?.json["code"]?.intValue else { return outcome.verdict }
                return switch code {
                case 0: outcome.verdict
                case 9: .ignore
                default: .failure(PlugboardError("app.refused", "The service refused with \(code)."))
                }
            }
            change(&settings)
        }
    }

    private func error(of client: Client) async -> PlugboardError? {
        await #expect(throws: PlugboardError.self) { _ = try await client.send(Get()) }
    }

    // MARK: The judge

    @Test func `the judge decides on success, failure and neither`() async throws {
        let success = try await client(#"{"code": 0}"#).send(Get())
        let failure = await error(of: try client(#"{"code": 17}"#))
        let ignored = await error(of: try client(#"{"code": 9}"#))

        #expect(success["code"] == 0)
        #expect(failure?.code == "app.refused")
        #expect(failure?.response?.firstBytes.text == #"{"code": 17}"#)
        #expect(ignored?.code == .ignored)
    }

    @Test func `the judge is not asked about refused statuses, unless a hook accepts them`() async throws {
        let refused = await error(of: try client(#"{"code": 17}"#, status: 400))
        let ignored = await error(of: try client(#"{"code": 9}"#, status: 500))
        let accepted = await error(
            of: try client(#"{"code": 9}"#, status: 404) { $0.responseHooks = [{ $0.error = nil }] })

        #expect(refused?.code == .responseStatus && ignored?.code == .responseStatus)
        #expect(refused?.response?.firstBytes.text == #"{"code": 17}"#)
        #expect(accepted?.code == .ignored)
    }

    @Test func `the judge sees failures without a response`() async throws {
        let seen = Record()
        let failing = Client(
            kernel: try Kernel(
                transport: ScriptedTransport { _, _ in .fail(PlugboardError(.transportReset, "reset")) }),
            settings: settings { settings in
                settings.judge = { outcome in
                    seen.add("\(outcome.response == nil) \(outcome.error?.code.name ?? "")")
                    return .ignore
                }
            })
        let broken = await error(of: failing)

        #expect(broken?.code == .ignored)
        #expect(broken?.underlying == "transport.reset: reset")
        #expect(seen.lines == ["true transport.reset"])
    }

    @Test func `a success with an error stays a failure`() async throws {
        let client = try ResponseTests.client(500, body: "{}") { $0.judge = { _ in .success } }

        #expect(await error(of: client)?.code == .responseStatus)
    }

    @Test func `the judge is told the endpoint and its labels, and whether there is a call`() async throws {
        let seen = Record()
        let client = try ResponseTests.client(body: "{}") { settings in
            settings.userInfo = ["app": "reader"]
            settings.judge = { outcome in
                let labels = outcome.context.labels
                seen.add(
                    "\(outcome.context.endpoint is Get) \(labels.tag ?? "") \(labels.userInfo.keys.sorted()) \(outcome.context.call != nil)"
                )
                return outcome.verdict
            }
        }

        _ = try await client.send(Get())
        _ = try await client.call(Get(), labels: CallLabels(tag: "other")).value

        #expect(seen.lines == [#"true t ["app", "screen"] false"#, "true other [] true"])
    }

    @Test func `a cancellation is not judged`() async throws {
        let seen = Record()
        let client = Client(
            kernel: try Kernel(
                transport: ScriptedTransport { _, _ in .fail(PlugboardError(.cancelled, "cancelled")) }),
            settings: settings { settings in
                settings.judge = { _ in
                    seen.add("judge")
                    return .ignore
                }
                settings.responseHooks = [{ _ in seen.add("hook") }]
                settings.errorHandler = { error, _ in
                    seen.add("handler")
                    return error
                }
            })

        #expect(await error(of: client)?.code == .cancelled)
        #expect(seen.lines == [])
    }

    // MARK: Hooks

    @Test func `hooks are called in order before the judge, and can set an error and edit the response`() async throws {
        let order = Record()
        let client = try client(#"{"code": 0, "data": [1]}"#) { settings in
            settings.responseHooks = [
                { outcome in
                    order.add("first")
                    if let data = try? outcome.response?.json["data"] { outcome.response?.bytes = Bytes("\(data)") }
                },
                { outcome in order.add("second \(outcome.response?.bytes.text ?? "")") },
            ]
        }
        let refusing = try self.client("{}") { $0.responseHooks = [{ $0.error = PlugboardError("app.hook", "No.") }] }

        #expect(try await client.send(Get()) == [1])
        #expect(order.lines == ["first", "second [1]"])
        #expect(await error(of: refusing)?.code == "app.hook")
    }

    @Test func `a hook that removes an error makes a success of a response, but not of a failure without one`()
        async throws
    {
        let found = try ResponseTests.client(404, body: "[]") { $0.responseHooks = [{ $0.error = nil }] }
        let lost = Client(
            kernel: try Kernel(
                transport: ScriptedTransport { _, _ in .fail(PlugboardError(.transportReset, "reset")) }),
            settings: settings { $0.responseHooks = [{ $0.error = nil }] })

        #expect(try await found.send(Get()) == [])
        #expect(await error(of: lost)?.code == .transportReset)
    }

    // MARK: Adapters

    @Test func `adapters are called in their order, each kind at its time`() async throws {
        let order = Record()
        let transport = ScriptedTransport { _, _ in .respond(200, body: .text("{}")) }
        let client = Client(
            kernel: try Kernel(transport: transport),
            settings: settings { settings in
                settings.requestAdapters = [
                    RequestAdapter { request, _ in
                        order.add("request 1")
                        await Task.yield()
                        request["X-Signed"] = request.url
                    }, RequestAdapter { _, _ in order.add("request 2") },
                ]
                settings.urlAdapters = [
                    URLAdapter { url, _ in
                        order.add("url 1")
                        url += "&u=1"
                    },
                    URLAdapter { url, _ in
                        order.add("url 2")
                        url += "&u=2"
                    },
                ]
                settings.parameterAdapters = [
                    ParameterAdapter { parameters, _ in
                        order.add("parameters 1")
                        parameters["p"] = 1
                    },
                    ParameterAdapter { parameters, context in
                        order.add("parameters 2 \(context.labels.tag ?? "")")
                        parameters["p"] = 2
                    },
                ]
            })

        _ = try await client.send(Get())

        #expect(order.lines == ["parameters 1", "parameters 2 t", "url 1", "url 2", "request 1", "request 2"])
        #expect(transport.requests.map(\.url) == ["https://a.test/a?p=2&u=1&u=2"])
        #expect(transport.requests[0]["X-Signed"] == "https://a.test/a?p=2&u=1&u=2")
    }

    @Test func `an adapter that throws fails the request before it is sent`() async throws {
        let transport = ScriptedTransport()
        for kind in 0..<3 {
            let refusal = PlugboardError("app.offline", "No.")
            let client = Client(
                kernel: try Kernel(transport: transport),
                settings: settings { settings in
                    switch kind {
                    case 0:
                        settings.parameterAdapters = [ParameterAdapter { _, _ in throw refusal }]
                    case 1: settings.urlAdapters = [URLAdapter { _, _ in throw refusal }]
                    default:
                        settings.requestAdapters = [RequestAdapter { _, _ in throw refusal }]
                    }
                })

            #expect(await error(of: client)?.code == "app.offline")
        }
        #expect(transport.requests.isEmpty)
    }

    // MARK: The error handler

    @Test func `the error handler gets each failure once, and may replace it or stop it`() async throws {
        let seen = Record()
        let decoding = try ResponseTests.client(body: "{") { settings in
            settings.errorHandler = { error, context in
                seen.add("\(error.code) \(context.labels.tag ?? "")")
                return PlugboardError("app.general", "Sorry.")
            }
        }
        let stopping = try ResponseTests.client(500, body: "{") { $0.errorHandler = { _, _ in nil } }

        #expect(await error(of: decoding)?.code == "app.general")
        #expect(seen.lines == ["body.decode t"])
        let stopped = await error(of: stopping)
        #expect(stopped?.code == .ignored)
        #expect(stopped?.underlying?.hasPrefix("response.status: ") == true)
    }

    private func settings(_ change: (inout ClientSettings) -> Void) -> ClientSettings {
        var settings = ClientSettings(base: "https://a.test")
        change(&settings)
        return settings
    }
}
