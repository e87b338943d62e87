import PlugboardKit

extension Catalog {
    /// The bundled plugins that this build links; package traits choose them.
    public static var bundled: Catalog {
        Catalog([])
    }
}
