// The files of the page that shows recorded exchanges, as texts in the program. They are valid as long as the process.
#ifndef INSPECT_PAGE_DOCUMENTS_H
#define INSPECT_PAGE_DOCUMENTS_H

// Hidden, so that plugins that contain the texts do not export these functions.
#pragma GCC visibility push(hidden)
const char *inspect_page_html(void);
const char *inspect_page_style(void);
const char *inspect_page_script(void);
#pragma GCC visibility pop

#endif
