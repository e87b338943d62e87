import ArgumentParser

/// A language that a plugin's project can be written in.
enum ScaffoldLanguage: String, CaseIterable, ExpressibleByArgument {
    case swift, c
    case cPlusPlus = "c++"
    case rust
}
