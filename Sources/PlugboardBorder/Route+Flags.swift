import CPlugboard

extension Route {
    package init(_ text: plug_text, _ flags: plug_route_flags) {
        self.init(
            text: text.optionalString ?? "", isVerified: flags & PLUG_ROUTE_UNVERIFIED == 0,
            isDetour: flags & PLUG_ROUTE_DETOUR != 0)
    }

    /// The flags of the C ABI.
    package var flags: plug_route_flags {
        (isVerified ? 0 : PLUG_ROUTE_UNVERIFIED) | (isDetour ? PLUG_ROUTE_DETOUR : 0)
    }
}
