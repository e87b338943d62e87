extension PluginEntry: CustomReflectable {
    /// Shows only the names of settings, because only the plugin's table shows which values are secret.
    public var customMirror: Mirror {
        let settings = Dictionary(uniqueKeysWithValues: settings.map { ($0.0, "…") })
        return Mirror(
            self,
            children: [
                "id": id as Any, "path": path as Any, "sha256": sha256 as Any, "priority": priority as Any,
                "before": before,
                "after": after, "onFault": onFault as Any, "faultLimit": faultLimit as Any, "settings": settings,
                "isEnabled": isEnabled,
            ], displayStyle: .struct)
    }
}
