// What a program is measured with and Swift cannot say itself.
#pragma once

#include <stddef.h>

/// What is allocated and not freed, with what the allocator keeps beside it.
size_t bytesInUse(void);

// MARK: - What a program that runs under callgrind tells it: which instructions to count, and under which name.

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define CALLGRIND_IS_KNOWN 1
#else
#define CALLGRIND_IS_KNOWN 0
#endif

/// Whether this program runs under callgrind, and was built where valgrind is installed.
static inline int callgrindIsCounting(void) {
#if CALLGRIND_IS_KNOWN
    return RUNNING_ON_VALGRIND;
#else
    return 0;
#endif
}

/// Begins to count from zero.
static inline void callgrindBegin(void) {
#if CALLGRIND_IS_KNOWN
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
#endif
}

/// Stops counting, and writes what was counted since the beginning to a file that has this name in it.
static inline void callgrindEnd(const char *name) {
#if CALLGRIND_IS_KNOWN
    CALLGRIND_DUMP_STATS_AT(name);
    CALLGRIND_STOP_INSTRUMENTATION;
#else
    (void)name;
#endif
}
