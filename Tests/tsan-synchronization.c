// Tells the thread sanitizer of what orders threads in the libraries of the Swift toolchain, which were not built with
// it: the slow paths of Mutex (libswiftSynchronization), and continuations (libswift_Concurrency).
//
// Preloaded, it stands before both libraries and passes every call on. With the clang of the Swift toolchain:
//
//     clang -O2 -fPIC -shared -Wall -Wextra -Werror Tests/tsan-synchronization.c -o tsan-synchronization.so
//     LD_PRELOAD=$PWD/tsan-synchronization.so swift test --sanitize=thread …

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// Of the sanitizer; not there in programs that were built without it, such as `swift` itself.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void acquire(void *address) {
    if (__tsan_acquire) __tsan_acquire(address);
}

static void release(void *address) {
    if (__tsan_release) __tsan_release(address);
}

// What would have been called. Each caller asks once; that two ask at the same time is no harm.
static void *next(void **known, const char *name) {
    void *found = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (!found) {
        found = dlsym(RTLD_NEXT, name);
        if (!found) abort();
        __atomic_store_n(known, found, __ATOMIC_RELAXED);
    }
    return found;
}

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Mutex. Its fast paths are in the program's own code, and order threads by the word at `handle`.

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF void *handle) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    static void *known;
    ((SWIFT void (*)(uint32_t, SELF void *))next(&known, LOCK))(thread, handle);
    acquire(handle);
}

SWIFT bool try_lock_slow(SELF void *handle) {
    static void *known;
    bool is_locked = ((SWIFT bool (*)(SELF void *))next(&known, TRY_LOCK))(handle);
    if (is_locked) acquire(handle);
    return is_locked;
}

SWIFT void unlock_slow(SELF void *handle) {
    static void *known;
    release(handle);
    ((SWIFT void (*)(SELF void *))next(&known, UNLOCK))(handle);
}

// Continuations. The task of one that is resumed after it was awaited goes on through an executor, of which the runtime
// tells the sanitizer; that of one that is resumed before goes on at once, and the sanitizer hears nothing. One that is
// resumed while `await` looks is still missed: see tsan.suppressions.

#define ASYNC __attribute__((swiftasynccall))

SWIFT void *swift_task_getCurrent(void);
SWIFT void swift_continuation_resume(void *task);
SWIFT void swift_continuation_throwingResume(void *task);
SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error);
ASYNC void swift_continuation_await(void *context);

SWIFT void swift_continuation_resume(void *task) {
    static void *known;
    release(task);
    ((SWIFT void (*)(void *))next(&known, "swift_continuation_resume"))(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
    static void *known;
    release(task);
    ((SWIFT void (*)(void *))next(&known, "swift_continuation_throwingResume"))(task);
}

SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
    static void *known;
    release(task);
    ((SWIFT void (*)(void *, void *))next(&known, "swift_continuation_throwingResumeWithError"))(task, error);
}

ASYNC void swift_continuation_await(void *context) {
    static void *known;
    acquire(swift_task_getCurrent());
    __attribute__((musttail)) return ((ASYNC void (*)(void *))next(&known, "swift_continuation_await"))(context);
}
