import PlugboardJSON
import PlugboardJSONSchema

/// The op `bench`: how long a schema takes for a file of instances, on this thread.
struct DriverBench {
    let schemas: DriverSchemas

    func run(_ object: JSONObject) throws(DriverError) -> JSONObject {
        let line = try DriverFields(
            object, known: ["id", "op", "schema_file", "instances_file", "draft", "formats", "repeat"])
        let text = try contents(try line.requiredString("schema_file"))
        let lines = try contents(try line.requiredString("instances_file"))
        let passes = try line.count("repeat") ?? 1
        var documents: [JSONDocument] = []
        let parsing = try DriverBench.milliseconds { () throws(DriverError) in
            for instance in lines.split(separator: UInt8(ascii: "\n")) {
                documents.append(try DriverSchemas.document(Array(instance)))
            }
        }
        guard let value = try? JSONParser.parse(text) else {
            throw DriverError(.invalid, "schema_file is not valid JSON.")
        }
        var compiled: JSONSchema?
        let compiling = try DriverBench.milliseconds { () throws(DriverError) in
            compiled = try schemas.compile(value, line)
        }
        guard let schema = compiled else { throw DriverError(.aborted, "The schema was not compiled.") }
        var valid = 0
        var times: [JSONValue] = []
        for _ in 0..<passes {
            valid = 0
            let time = try DriverBench.milliseconds { () throws(DriverError) in
                for document in documents where schema.isValid(document) { valid += 1 }
            }
            times.append(DriverBench.number(time))
        }
        return [
            "id": object["id"] ?? .null, "valid": .number(JSONNumber(valid)),
            "invalid": .number(JSONNumber(documents.count - valid)), "parse_ms": DriverBench.number(parsing),
            "compile_ms": DriverBench.number(compiling), "pass_ms": .array(times),
        ]
    }

    private func contents(_ path: String) throws(DriverError) -> [UInt8] {
        do throws(CommandFailure) {
            return try FileContents.bytes(of: path)
        } catch {
            throw DriverError(.invalid, error.message ?? "\(path) cannot be read.")
        }
    }

    private static func milliseconds(_ work: () throws(DriverError) -> Void) throws(DriverError) -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try work()
        let (seconds, attoseconds) = (clock.now - start).components
        return Double(seconds) * 1e3 + Double(attoseconds) / 1e15
    }

    private static func number(_ value: Double) -> JSONValue { JSONNumber(value).map { .number($0) } ?? .null }
}
