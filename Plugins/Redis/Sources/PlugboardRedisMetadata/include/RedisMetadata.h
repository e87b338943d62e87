// Nothing to call: the target only puts what the plugin is into an ELF section, where it can be read without running
// it.
