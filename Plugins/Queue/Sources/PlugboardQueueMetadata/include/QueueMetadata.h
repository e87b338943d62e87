// The target puts what the plugin is into an ELF section, where it can be read without running it.

#ifndef PLUGBOARD_QUEUE_METADATA_H
#define PLUGBOARD_QUEUE_METADATA_H

// The engine of PlugboardQueuePostgreSQL, a borrowed QueueEngineMaker; NULL where that is not linked.
void *plugboard_queue_linked_engine(void) __attribute__((visibility("hidden")));

#endif
