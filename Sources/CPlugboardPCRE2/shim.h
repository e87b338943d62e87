// libpcre2 with patterns and subjects of bytes.

#ifndef PLUGBOARD_CPCRE2_SHIM_H
#define PLUGBOARD_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#endif
