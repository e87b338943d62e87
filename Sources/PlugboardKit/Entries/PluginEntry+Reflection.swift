extension PluginEntry: CustomReflectable {
    /// Of the settings the names alone: only the plugin's table tells which values are secret.
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
