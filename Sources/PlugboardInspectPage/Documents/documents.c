// The compiler reads each file when it compiles this one, and compiles again when a file has changed.
#include "InspectPageDocuments.h"

// #embed is part of C23; Swift's clang has it in C11 too.
#pragma clang diagnostic ignored "-Wc23-extensions"

// The zero after each file ends its text.
const char *inspect_page_html(void) {
    static const char text[] = {
#embed "page.html" suffix(, 0)
    };
    return text;
}

const char *inspect_page_style(void) {
    static const char text[] = {
#embed "page.css" suffix(, 0)
    };
    return text;
}

// One script, in the order in which the files need each other.
const char *inspect_page_script(void) {
    static const char text[] = {
#embed "dom.js" suffix(,)
#embed "exchanges.js" suffix(,)
#embed "list.js" suffix(,)
#embed "body.js" suffix(,)
#embed "chain.js" suffix(,)
#embed "detail.js" suffix(,)
#embed "totals.js" suffix(,)
#embed "actions.js" suffix(,)
#embed "mock.js" suffix(,)
#embed "main.js" suffix(, 0)
    };
    return text;
}
