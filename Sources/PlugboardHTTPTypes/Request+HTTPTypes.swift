#if AllPackages || HTTPTypes
    import HTTPTypes
    import PlugboardMessages

    // Conversions from and to the types of swift-http-types, for programs that use them. They are a product of their
    // own, because the package adds 1.7 MB of the standard library's string processing to a static program.

    extension Request {
        /// A request with this head. Nil if the head has no scheme, authority or path.
        public init?(_ head: HTTPRequest, body: Body? = nil) {
            guard let scheme = head.scheme, let authority = head.authority, let path = head.path else { return nil }
            self.init(
                Method(head.method.rawValue), "\(scheme)://\(authority)\(path)", fields: Fields(head.headerFields),
                body: body)
        }
    }

    extension ResponseHead {
        /// The same head. Fields whose names are not tokens are omitted, because `HTTPFields` cannot contain them.
        public var httpResponse: HTTPResponse {
            HTTPResponse(
                status: HTTPResponse.Status(code: min(max(status, 0), 999), reasonPhrase: reason),
                headerFields: fields.httpFields)
        }
    }

    extension Response {
        /// The head as a type of swift-http-types.
        public var httpResponse: HTTPResponse { head.httpResponse }
    }

    extension Fields {
        /// The same fields, in order, with duplicates.
        public init(_ fields: HTTPFields) {
            self.init()
            for field in fields {
                withUTF8(field.name.rawName) { name in
                    field.withUnsafeBytesOfValue { append(name, UnsafeRawBufferPointer($0)) }
                }
            }
        }

        /// The same fields, in order, with duplicates. Fields whose names are not tokens are omitted.
        public var httpFields: HTTPFields {
            var fields = HTTPFields()
            for field in self {
                guard let name = HTTPField.Name(field.name) else { continue }
                fields.append(HTTPField(name: name, value: field.value))
            }
            return fields
        }
    }

    extension FieldName {
        /// The same name, as it is written.
        public init(_ name: HTTPField.Name) { self.init(name.rawName) }
    }

    extension Method {
        /// The same method.
        public init(_ method: HTTPRequest.Method) { self.init(method.rawValue) }
    }
#else
    #error("PlugboardHTTPTypes needs a trait of the package plugboard: .package(…, traits: [\"HTTPTypes\"]).")
#endif
