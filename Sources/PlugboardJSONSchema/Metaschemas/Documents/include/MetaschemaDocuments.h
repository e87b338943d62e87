// The meta-schemas of the drafts and their vocabularies, as json-schema.org publishes them, as texts in the program.
#ifndef METASCHEMA_DOCUMENTS_H
#define METASCHEMA_DOCUMENTS_H

// Returns the JSON text of a URI without fragment, or NULL. Valid as long as the process. Hidden, so that plugins that
// contain it do not export it.
__attribute__((visibility("hidden"))) const char *metaschema_text(const char *uri);

#endif
