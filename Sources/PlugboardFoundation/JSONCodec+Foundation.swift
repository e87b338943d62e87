import Foundation
public import PlugboardCodecs
import PlugboardJSON
public import PlugboardJSONCoding

/// The form of dates in JSON.
public enum JSONDates: Sendable {
    /// `2026-11-25T12:00:00Z` (RFC 3339). Reads any offset and any fraction of a second; writes UTC, with milliseconds
    /// or microseconds if necessary.
    case iso8601
    /// The number of seconds since 1970.
    case secondsSince1970
    /// The number of milliseconds since 1970.
    case millisecondsSince1970
}

extension Codec where Self == JSONCodec {
    /// JSON for models with types of Foundation: `URL` as a text, `Decimal` as a number, `Data` in base 64 (RFC 4648
    /// §4) and `Date`. Every codec reads and writes `UUID` as a text.
    ///
    ///     settings.requestCodec = .foundation()
    ///     settings.codecs = CodecSet([.foundation()])
    ///
    /// A decimal number is read and written with all its digits.
    public static func foundation(dates: JSONDates = .iso8601, keys: JSONKeyStrategy = .unchanged) -> JSONCodec {
        var codec = JSONCodec(keys: keys)
        codec.encoder.write(URL.self) { url, encoder in try encode(url.absoluteString, to: encoder) }
        codec.decoder.read(URL.self) { decoder in
            guard let url = URL(string: try text(decoder)) else { throw mismatch(decoder, "a URL") }
            return url
        }
        codec.encoder.write(Data.self) { data, encoder in try encode(data.base64EncodedString(), to: encoder) }
        codec.decoder.read(Data.self) { decoder in
            guard let data = Data(base64Encoded: try text(decoder)) else {
                throw mismatch(decoder, "a text in base 64")
            }
            return data
        }
        codec.encoder.write(Decimal.self) { number, encoder in
            guard let digits = (try? JSONParser.parse("\(number)"))?.numberValue else {
                throw EncodingError.invalidValue(
                    number, .init(codingPath: encoder.codingPath, debugDescription: "JSON has no number for NaN"))
            }
            try encode(digits, to: encoder)
        }
        codec.decoder.read(Decimal.self) { decoder in
            let digits = try decoder.singleValueContainer().decode(JSONNumber.self).description
            guard let number = Decimal(string: digits, locale: nil) else { throw mismatch(decoder, "a decimal number") }
            return number
        }
        write(dates, with: &codec)
        return codec
    }

    private static func write(_ dates: JSONDates, with codec: inout JSONCodec) {
        switch dates {
        case .iso8601:
            codec.encoder.write(Date.self) { date, encoder in
                guard let text = InternetDate.text(of: date) else {
                    throw EncodingError.invalidValue(
                        date,
                        .init(
                            codingPath: encoder.codingPath,
                            debugDescription: "RFC 3339 has no text for a date outside the years 0 to 9999"))
                }
                try encode(text, to: encoder)
            }
            codec.decoder.read(Date.self) { decoder in
                guard let date = InternetDate.date(try text(decoder)) else {
                    throw mismatch(decoder, "a date such as 2026-11-25T12:00:00Z")
                }
                return date
            }
        case .secondsSince1970: write(unit: 1, with: &codec)
        case .millisecondsSince1970: write(unit: 1000, with: &codec)
        }
    }

    private static func write(unit: Double, with codec: inout JSONCodec) {
        codec.encoder.write(Date.self) { date, encoder in
            let count = date.timeIntervalSince1970 * unit
            if let whole = Int64(exactly: count) {
                try encode(whole, to: encoder)
            } else {
                try encode(count, to: encoder)
            }
        }
        codec.decoder.read(Date.self) { decoder in
            Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self) / unit)
        }
    }

    private static func text(_ decoder: any Decoder) throws -> String {
        try decoder.singleValueContainer().decode(String.self)
    }

    private static func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }

    private static func mismatch(_ decoder: any Decoder, _ wanted: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "\(wanted) is expected"))
    }
}
