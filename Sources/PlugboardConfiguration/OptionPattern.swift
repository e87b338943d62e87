/// Regular expressions (ECMA 262) of the texts that options and settings are written in, for JSON Schemas.
enum OptionPattern {
    static let duration = "^[0-9]+(ms|s|m|h|d)$"
    static let size = "^[0-9]+(B|KiB|MiB|GiB)$"
    static let origin = #"^[Hh][Tt][Tt][Pp][Ss]?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$"#
}
