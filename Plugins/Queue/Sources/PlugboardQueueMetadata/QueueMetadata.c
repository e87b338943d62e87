#include "plugboard.h"
#include "QueueMetadata.h"

PLUGBOARD_METADATA(queue, "queue", "1.0.0");

// Hidden, so that it is found in the same program or shared object only: types of Swift are not the same in another.
extern void *plugboard_queue_engine(void) __attribute__((weak, visibility("hidden")));

void *plugboard_queue_linked_engine(void) { return plugboard_queue_engine ? plugboard_queue_engine() : 0; }
