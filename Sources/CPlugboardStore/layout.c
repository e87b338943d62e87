// The layout of plugboard-store.h, which never changes.
#include "plugboard-store.h"

#include <assert.h>
#include <stddef.h>

static_assert(sizeof(plug_store_value_v1) == 24, "plug_store_value_v1");
static_assert(sizeof(plug_store_reply_v1) == 48, "plug_store_reply_v1");
static_assert(offsetof(plug_store_reply_v1, number) == 24, "plug_store_reply_v1");
static_assert(sizeof(plug_store_call_v1) == 24, "plug_store_call_v1");
static_assert(sizeof(plug_store_entry_v1) == 40, "plug_store_entry_v1");
static_assert(sizeof(plug_store_v1) == 104, "plug_store_v1");
static_assert(offsetof(plug_store_v1, get) == 24 && offsetof(plug_store_v1, take_lock) == 64, "plug_store_v1");
static_assert(offsetof(plug_store_v1, unwatch) == 96, "plug_store_v1");
