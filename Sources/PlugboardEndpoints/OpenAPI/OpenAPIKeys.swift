/// The keys of the objects of OpenAPI 3.0 and 3.1.
enum OpenAPIKeys {
    static let document = [
        "openapi", "info", "jsonSchemaDialect", "servers", "paths", "webhooks", "components", "security", "tags",
        "externalDocs", "$self",
    ]
    static let pathItem = [
        "$ref", "summary", "description", "get", "put", "post", "delete", "options", "head", "patch", "trace",
        "servers", "parameters",
    ]
    static let operation = [
        "tags", "summary", "description", "externalDocs", "operationId", "parameters", "requestBody", "responses",
        "callbacks", "deprecated", "security", "servers",
    ]
    static let parameter = [
        "$ref", "name", "in", "description", "required", "deprecated", "allowEmptyValue", "style", "explode",
        "allowReserved", "schema", "example", "examples", "content", "summary",
    ]
    static let requestBody = ["$ref", "description", "content", "required", "summary"]
    static let server = ["url", "description", "variables", "name"]
}
