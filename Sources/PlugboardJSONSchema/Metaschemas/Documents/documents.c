// The compiler reads each file when it compiles this one, and compiles again when a file has changed.
#include "MetaschemaDocuments.h"

#include <string.h>

// #embed is part of C23; Swift's clang has it in C11 too.
#pragma clang diagnostic ignored "-Wc23-extensions"

// The zero after each file ends its text.
static const struct { const char *uri, *text; } documents[] = {
    {"http://json-schema.org/draft-04/schema", (const char[]){
#embed "draft-04.schema.json" suffix(, 0)
    }},
    {"http://json-schema.org/draft-06/schema", (const char[]){
#embed "draft-06.schema.json" suffix(, 0)
    }},
    {"http://json-schema.org/draft-07/schema", (const char[]){
#embed "draft-07.schema.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2019-09/schema", (const char[]){
#embed "draft-2019-09.schema.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2019-09/meta/applicator", (const char[]){
#embed "draft-2019-09.applicator.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2019-09/meta/content", (const char[]){
#embed "draft-2019-09.content.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2019-09/meta/core", (const char[]){
#embed "draft-2019-09.core.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2019-09/meta/format", (const char[]){
#embed "draft-2019-09.format.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2019-09/meta/meta-data", (const char[]){
#embed "draft-2019-09.meta-data.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2019-09/meta/validation", (const char[]){
#embed "draft-2019-09.validation.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2020-12/schema", (const char[]){
#embed "draft-2020-12.schema.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2020-12/meta/applicator", (const char[]){
#embed "draft-2020-12.applicator.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2020-12/meta/content", (const char[]){
#embed "draft-2020-12.content.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2020-12/meta/core", (const char[]){
#embed "draft-2020-12.core.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2020-12/meta/format-annotation", (const char[]){
#embed "draft-2020-12.format-annotation.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2020-12/meta/format-assertion", (const char[]){
#embed "draft-2020-12.format-assertion.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2020-12/meta/meta-data", (const char[]){
#embed "draft-2020-12.meta-data.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2020-12/meta/unevaluated", (const char[]){
#embed "draft-2020-12.unevaluated.json" suffix(, 0)
    }},
    {"https://json-schema.org/draft/2020-12/meta/validation", (const char[]){
#embed "draft-2020-12.validation.json" suffix(, 0)
    }},
};

const char *metaschema_text(const char *uri) {
    for (size_t position = 0; position < sizeof documents / sizeof *documents; position++) {
        if (strcmp(documents[position].uri, uri) == 0) return documents[position].text;
    }
    return NULL;
}
