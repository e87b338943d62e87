// The meta-schemas of the drafts and their vocabularies, as json-schema.org publishes them, as texts in the program.
#ifndef METASCHEMA_DOCUMENTS_H
#define METASCHEMA_DOCUMENTS_H

// Returns the JSON text of a URI without fragment, or NULL. Valid as long as the process.
const char *metaschema_text(const char *uri);

#endif
