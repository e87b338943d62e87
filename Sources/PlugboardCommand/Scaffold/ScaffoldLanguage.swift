import ArgumentParser

/// A language in which a plugin's project can be written.
enum ScaffoldLanguage: String, CaseIterable, ExpressibleByArgument {
    case swift, c
    case cPlusPlus = "c++"
    case rust
}
