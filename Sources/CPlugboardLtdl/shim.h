// libltdl, the loader of GNU Libtool. Swift imports all of it that is used here; there is no .pc file, and the link
// line is in the module map.

#ifndef PLUGBOARD_CLTDL_SHIM_H
#define PLUGBOARD_CLTDL_SHIM_H

#include <ltdl.h>

#endif
