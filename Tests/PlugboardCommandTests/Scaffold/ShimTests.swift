import Foundation
import PlugboardJSON
import TestSupport
import Testing

/// The plugins `tour.cpp` and `tour.rs`, built in a project of each language, do all that the shims are for, and break
/// in all ways: the process that has loaded them goes on.
@Suite struct `The shims of C++ and Rust` {
    @Test(.enabled(if: ScaffoldedProject.canBuild("c++"), "there is no compiler for C++"))
    func `in C++ nothing that is thrown crosses the border`() async throws {
        let object = try await build("c++", "tour.cpp", as: "tour.cpp")

        try await breakAndGoOn(
            object, thrown: "thrown on purpose", number: "it threw an object that is not a std::exception")
        let lost = try await Command.run("com.example.tour", "lose", "--plugin", object)
        #expect(lost.status == 104 && lost.stderr.contains("The plugin gave no result"), "\(lost.stderr)")
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "hello") }
        defer { server.stop() }
        var line = line("no-body", server.url())
        // Nothing else would end it if the pull were lost.
        line["timeout_ms"] = 20_000
        let noBody = try await Command.exec(line, ["--plugin", object])
        let message = noBody["error"]?["message"]?.stringValue ?? ""
        #expect(noBody["error"]?["code"] == "plugin.fault" && message.contains("pull"), "\(noBody)")
    }

    @Test(.enabled(if: ScaffoldedProject.canBuild("rust"), "there is no compiler for Rust"))
    func `in Rust no panic crosses the border`() async throws {
        let object = try await build("rust", "tour.rs", as: "src/lib.rs")

        try await breakAndGoOn(object, thrown: "it panicked: thrown on purpose", number: "it panicked")
        let error = try await Command.exec(line("error", "http://127.0.0.1:9/"), ["--plugin", object])
        #expect(error["error"]?["message"]?.stringValue?.contains("returned on purpose") == true)
        let panics = try await Command.run(
            "get", "http://127.0.0.1:9/", "--plugin", object, "--set", "com.example.tour.refuse=panic")
        #expect(panics.status == 102)
        #expect(panics.stderr.contains("It panicked in create."))
        let checked = try await checkSections(object, [#"{"left": "panic"}"#])
        #expect(checked.status == 1 && checked.stderr.contains("It panicked in check"), "\(checked.stderr)")
    }

    private func build(_ language: String, _ fixture: String, as name: String) async throws -> String {
        let project = try await ScaffoldedProject("tour", language: language)
        let source = try String(contentsOfFile: "\(ScaffoldTestFiles.fixtures)/\(fixture)", encoding: .utf8)
        try source.write(toFile: project.file(name), atomically: true, encoding: .utf8)
        let object = try await project.build()
        // The project's folder goes with the project; the object stays as long as the tests.
        return try ShimTestObjects.keep(object, as: "tour-\(language).so")
    }

    private func line(_ what: String, _ url: String) -> JSONObject {
        ["url": .string(url), "headers": [["x-tour", .string(what)]]]
    }

    private func breakAndGoOn(_ object: String, thrown: String, number: String) async throws {
        let server = try LoopbackServer.responding { request in
            switch request.path {
            case "/asked": ServerResponse(body: "\(request["x-asked-by"] ?? "nobody") asks")
            case "/copied": ServerResponse(body: "\(request.method) \(request["x-tour"] ?? "")")
            default: ServerResponse(body: "hello \(request["x-woken"] ?? "")")
            }
        }
        defer { server.stop() }
        let ways =
            ["throw", "throw-number", "fail", "respond", "wait", "capitals", "break", "none", "secret"]
            + ["break-hook", "cancel", "timer", "timer-throw", "ask", "ask-less", "ask-whole", "ask-throw"]
            + ["keep", "like", "watch", "watch-throw", "block", "block-throw"]
        let lines = ways.map { way in
            var line = line(way, server.url("/\(way)"))
            line["id"] = .string(way)
            return JSONWriter.write(.object(line)) as String
        }

        let replies = try await Command.exec(lines, "--plugin", object)

        func message(_ way: String) -> String { replies[way]?["error"]?["message"]?.stringValue ?? "" }
        func body(_ way: String) -> String? {
            replies[way]?["body_b64"]?.stringValue.flatMap { Data(base64Encoded: $0) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(Set(replies.keys) == Set(ways), "there is a reply for each line")
        #expect(message("throw").contains(thrown), "\(message("throw"))")
        #expect(message("throw-number").contains(number), "\(message("throw-number"))")
        #expect(message("fail").contains("It was asked to fail."), "\(message("fail"))")
        #expect(replies["respond"]?["status"] == 203)
        #expect(body("respond") == "responded" && body("wait") == "hello yes" && body("capitals") == "HELLO ")
        #expect(message("break").contains("the body broke on purpose"), "\(message("break"))")
        #expect(message("break-hook").contains("the hook broke on purpose"), "\(message("break-hook"))")
        #expect(replies["fail"]?["error"]?["code"] == "tour.refused" && replies["fail"]?["error"]?["kind"] == "aborted")
        #expect(body("cancel") == "hello true false cancelled", "\(body("cancel") ?? "none")")
        #expect(body("none") == "hello " && body("secret") == "x-tour;")
        #expect(body("timer") == "hello yes" && body("ask") == "hello tour asks" && body("ask-whole") == "tour asks")
        #expect(body("keep") == "hello " && body("like") == "hello GET like", "\(body("like") ?? message("like"))")
        for way in ["watch", "watch-throw", "block", "block-throw"] {
            #expect(body(way) == "hello yes", "\(way): \(message(way))")
        }
        #expect(message("ask-less").contains("larger than the limit"), "\(message("ask-less"))")
        for way in ["timer-throw", "ask-throw"] { #expect(message(way).contains("Nobody woke it."), "\(message(way))") }
        let asked = server.requests.filter { $0.path == "/asked" }
        // One of the four may have been too late.
        #expect(asked.count >= 3 && asked.allSatisfy { $0.method == "POST" && $0.body == Array("question".utf8) })
        #expect(
            !server.requests.contains { ["/throw", "/throw-number", "/fail", "/respond", "/secret"].contains($0.path) })
        try await commandsAndStart(object)
        try await services(object)
        let refused = try await checkSections(object, [#"{"right": "r"}"#, #"{"left": "l", "right": "r"}"#])
        #expect(refused.status == 1)
        #expect(refused.stderr.contains("com.example.tour.right is not enough"), "\(refused.stderr)")
        #expect(refused.stderr.contains("https://0.example") && !refused.stderr.contains("https://1.example"))
    }

    /// `config check` of a file with one origin for each section of the plugin.
    private func checkSections(_ object: String, _ sections: [String]) async throws -> ProcessRunner.Outcome {
        let folder = try TemporaryFolder("sections")
        defer { folder.remove() }
        let origins = sections.enumerated().map { index, section in
            "\"https://\(index).example\": { \"com.example.tour\": \(section) }"
        }
        let file = try folder.write(
            "plugboard.json",
            """
            { "plugins": [{ "id": "com.example.tour", "path": "\(object)" }],
              "origins": { \(origins.joined(separator: ", ")) } }
            """)
        return try await Command.run("config", "check", file)
    }

    private func services(_ object: String) async throws {
        let arguments = [
            "number=7", "name=ada", #"list=["a", 7]"#, #"map={"k": "v"}"#, "url=https://[::1]:8443/a?b",
        ]
        let facts = "7 ada,a,7,k=v https [::1] 8443 /a b closed1:0 open2:5 sent1,status=2xx:2 times3:23,10/1/1"

        let alone = try await Command.running(["com.example.tour", "facts"] + arguments + ["--plugin", object])
        let beside = try await Command.running(
            ["com.example.tour", "facts"] + arguments
                + ["--plugin", object, "--plugin", try FixturePlugin.build("numbers")])
        let none = try await Command.run(
            "get", "http://127.0.0.1:9/", "--plugin", object, "--set", "com.example.tour.refuse=service")

        #expect(alone.stdout == "\"\(facts) none\"\n", "\(alone.stderr)")
        #expect(beside.stdout == "\"\(facts) 42\"\n", "\(beside.stderr)")
        #expect(none.status == 102 && none.stderr.contains("It was told to give none."), "\(none.stderr)")
        #expect(none.stderr.contains("lists the service com.example.tour/1, and its service function returned NULL"))

        let numbers = try FixturePlugin.build("numbers")
        let order = try await Command.run("plugins", "order", "--plugin", object, "--plugin", numbers)
        let json = try await Command.run("plugins", "order", "--plugin", object, "--plugin", numbers, "--json")
        let inspected = try await Command.run("plugins", "inspect", object)

        let lines = order.stdout.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(lines.contains("com.example.numbers/1 of com.example.numbers for com.example.tour"))
        #expect(lines.contains("Services:") && lines.contains("com.example.tour/1 of com.example.tour"))
        let plugins = try JSONParser.parse(json.stdout)["plugins"]
        #expect(plugins?[0]?["provides"] == ["com.example.tour/1"] && plugins?[1]?["needs"] == nil)
        #expect(plugins?[0]?["needs"] == ["com.example.numbers/1?"])
        #expect(inspected.stdout.contains(/\nprovides +com\.example\.tour\/1\nneeds +com\.example\.numbers\/1\?\n/))
    }

    private func commandsAndStart(_ object: String) async throws {
        let inspected = try await Command.run("plugins", "inspect", object, "--json")
        let settings = try JSONParser.parse(inspected.stdout)["plugin"]?["settings"]?.arrayValue
        #expect(settings?.map { $0["secret"] } == [false, true])

        let echo = try await Command.run("com.example.tour", "echo", "a=1", "--plugin", object)
        let thrown = try await Command.run("com.example.tour", "throw", "--plugin", object)
        let refused = try await Command.run(
            "get", "http://127.0.0.1:9/", "--plugin", object, "--set", "com.example.tour.refuse=yes")

        for outcome in [echo, thrown] {
            #expect(outcome.stderr.contains("the timer that was never due is let go of"), "\(outcome.stderr)")
        }
        #expect(echo.stdout == #"{"a":1}"# + "\n", "\(echo.stderr)")
        #expect(thrown.status == 104 && thrown.stderr.contains("thrown by a command"), "\(thrown.stderr)")
        #expect(!thrown.stderr.contains("gave no result"), "the caller gets the error: \(thrown.stderr)")
        #expect(refused.status == 102 && refused.stderr.contains("It was told to refuse."), "\(refused.stderr)")
    }
}

/// Copies of what a project has built.
private enum ShimTestObjects {
    private static let folder = try? TemporaryFolder("shims")

    static func keep(_ object: String, as name: String) throws -> String {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: object)))
        return try #require(folder).plugin(name, bytes)
    }
}
