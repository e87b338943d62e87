#include "QueueMetadata.h"
#include "plugboard.h"

PLUGBOARD_METADATA(queue, "queue", "1.0.0");

// Weak: PlugboardQueuePostgreSQL has another, which the linker takes instead. Hidden: only that of the same program or
// shared object counts, because types of Swift are not the same in another.
__attribute__((weak, visibility("hidden"))) void *plugboard_queue_engine(void) { return 0; }

void *plugboard_queue_linked_engine(void) { return plugboard_queue_engine(); }
