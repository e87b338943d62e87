import PlugboardBorder
import PlugboardSystem

/// Checks the files of certificates and keys of a configuration, which libcurl reads only when a request is sent.
extension RequestOptions {
    /// The largest file that is searched, in bytes; a larger one is accepted.
    private static let searchLimit = 16 << 20

    /// The errors of the files, each as the end of a sentence that begins with the option. Blocks.
    package var errorsOfFiles: [(option: String, error: String)] {
        var errors: [(option: String, error: String)] = []
        func check(_ option: String, _ path: String?, _ what: String, _ isPart: (ArraySlice<UInt8>) -> Bool) {
            guard let path, let error = RequestOptions.error(inFile: path, what, isPart) else { return }
            errors.append((option, "names \(Printable.text(path)), which \(error)"))
        }
        let isCertificate = { (label: ArraySlice<UInt8>) in label.ends(with: "CERTIFICATE") }
        let isKey = { (label: ArraySlice<UInt8>) in label.ends(with: "PRIVATE KEY") }
        check("tls.ca", tls.ca, "holds no certificate in PEM form", isCertificate)
        check("tls.certificate", tls.certificate, "holds no certificate in PEM form", isCertificate)
        if let key = tls.key {
            check("tls.key", key, "holds no private key in PEM form", isKey)
        } else if errors.last?.option != "tls.certificate" {
            check(
                "tls.certificate", tls.certificate,
                "holds no private key; set kernel.tls.key to the file that does",
                isKey)
        }
        return errors
    }

    /// - Parameters:
    ///   - what: The error for a file without the part.
    ///   - isPart: Whether a part of this label, such as `CERTIFICATE`, is what the file must hold (RFC 7468 §2).
    private static func error(
        inFile path: String, _ what: String, _ isPart: (ArraySlice<UInt8>) -> Bool
    ) -> String? {
        // The beginning of a bundle mostly decides.
        for limit in [16 << 10, searchLimit] {
            switch SmallFile.bytes(of: path, limit: limit, waits: false) {
            case .failure(let cause): return cause.reason
            case .success(let bytes):
                if holds(bytes, isPart) { return nil }
                if bytes.count <= limit { return what }
            }
        }
        return nil
    }

    private static func holds(_ bytes: [UInt8], _ isPart: (ArraySlice<UInt8>) -> Bool) -> Bool {
        let (begin, dashes) = (Array("-----BEGIN ".utf8), Array("-----".utf8))
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            rest = rest[line.endIndex...].dropFirst()
            guard line.starts(with: begin) else { continue }
            let label = line.dropFirst(begin.count).reversed().drop { $0 == 0x20 || $0 == 0x09 }
            if label.starts(with: dashes), isPart(ArraySlice(label.dropFirst(dashes.count).reversed())) { return true }
        }
        return false
    }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with text: StaticString) -> Bool {
        text.withUTF8Buffer { suffix(text.utf8CodeUnitCount).elementsEqual($0) }
    }
}
