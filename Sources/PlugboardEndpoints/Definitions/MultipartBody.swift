import PlugboardCodecs
import PlugboardCore
import PlugboardJSON

/// Writes parameters as the parts of multipart/form-data (OpenAPI §4.8.14.5).
enum MultipartBody {
    static func body(_ parameters: [(DefinedParameter, JSONValue)]) throws(PlugboardError) -> EndpointBody {
        var form = MultipartForm()
        for (parameter, value) in parameters {
            if case .array(let elements) = value, parameter.contentType == nil {
                for element in elements {
                    form.append(try part(parameter, element, isFile: parameter.elementKind == .file))
                }
            } else {
                form.append(try part(parameter, value, isFile: parameter.kind == .file))
            }
        }
        return .body(try form.body(), type: form.contentType)
    }

    private static func part(
        _ parameter: DefinedParameter, _ value: JSONValue, isFile: Bool
    ) throws(PlugboardError) -> MultipartForm.Part {
        let name = parameter.sentName
        if isFile, let path = value.stringValue {
            return try .file(name, path, type: parameter.contentType)
        }
        switch value {
        case .array, .object:
            return .data(
                name, Bytes(JSONWriter.write(value) as [UInt8]), fileName: nil,
                type: parameter.contentType ?? "application/json")
        case .string(let text):
            guard let type = parameter.contentType else { return .text(name, text) }
            return .data(name, Bytes(text), fileName: nil, type: type)
        default:
            return .text(name, value.isNull ? "" : value.description)
        }
    }
}
