import PlugboardMessages

extension MediaType {
    /// The media type of a file by its file name extension, such as `application/pdf`; `application/octet-stream` for
    /// unknown extensions. The file is not read.
    public static func name(ofFile path: String) -> String {
        let name = Array(path.utf8)
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return "application/octet-stream" }
        let wanted = name[(dot + 1)...].map(lowercased)
        for line in table.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: 0x20)
            if words.dropFirst().contains(where: { $0.elementsEqual(wanted) }) {
                return String(decoding: words[0], as: UTF8.self)
            }
        }
        return "application/octet-stream"
    }

    /// The types of the web and of common files, as in the registry of IANA, each with its extensions.
    private static let table = """
        application/gzip gz
        application/java-archive jar
        application/json json map
        application/jsonl jsonl ndjson
        application/ld+json jsonld
        application/manifest+json webmanifest
        application/msword doc
        application/pdf pdf
        application/rtf rtf
        application/sql sql
        application/toml toml
        application/vnd.apple.mpegurl m3u8
        application/vnd.debian.binary-package deb
        application/vnd.ms-excel xls
        application/vnd.ms-fontobject eot
        application/vnd.ms-powerpoint ppt
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.text odt
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.sqlite3 sqlite sqlite3
        application/wasm wasm
        application/x-7z-compressed 7z
        application/x-bzip2 bz2
        application/x-plist plist
        application/x-protobuf pb
        application/x-sh sh
        application/x-tar tar
        application/x-xz xz
        application/xhtml+xml xhtml xht
        application/xml xml xsl xsd
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/aac aac
        audio/flac flac
        audio/midi mid midi
        audio/mp4 m4a
        audio/mpeg mp3
        audio/ogg ogg oga opus
        audio/wav wav
        audio/webm weba
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/avif avif
        image/bmp bmp
        image/gif gif
        image/heic heic
        image/heif heif
        image/jpeg jpg jpeg jpe
        image/jxl jxl
        image/png png apng
        image/svg+xml svg svgz
        image/tiff tif tiff
        image/vnd.microsoft.icon ico
        image/webp webp
        message/rfc822 eml
        model/gltf+json gltf
        model/gltf-binary glb
        text/calendar ics
        text/css css
        text/csv csv
        text/html html htm
        text/javascript js mjs
        text/markdown md markdown
        text/plain txt text log conf
        text/tab-separated-values tsv
        text/vcard vcf
        text/vtt vtt
        video/3gpp 3gp
        video/mp2t ts
        video/mp4 mp4 m4v
        video/mpeg mpeg mpg
        video/ogg ogv
        video/quicktime mov
        video/webm webm
        video/x-matroska mkv
        video/x-msvideo avi
        """
}
