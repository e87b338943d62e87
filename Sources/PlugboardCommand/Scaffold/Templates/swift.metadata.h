// There is nothing to call: the target only puts the plugin's id and version into an ELF section.
