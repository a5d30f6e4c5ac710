/* Makes storage fail at a chosen call, for a program that it is loaded into with LD_PRELOAD.
 *
 * Calls that change or sync files under FAULT_DIRECTORY are counted from 1, in one order over all threads, and written
 * to FAULT_LOG, one a line: the number, the call, the file's name, the length, and what was done to it. FAULT_AT is the
 * number that fails, FAULT_KIND what is counted and can fail (write, sync or any), and FAULT_ACTION how:
 *
 *   kill   the process dies before the call           torn   half of the write is done, then the process dies
 *   short  half of the write is done, which the call says
 *   EIO, ENOSPC, EDQUOT, EFBIG   the call fails with this error, and nothing of it is done
 *   hang   the call never returns                    slow   this call and those after take FAULT_SECONDS longer
 *   late   writes from this one on are done 80 milliseconds later, in their order, and syncs not at all; each says
 *          at once that it is done: a disk that has only promised what it acknowledges
 *
 * Without FAULT_AT nothing fails. When the file FAULT_HELD is named, nothing is counted while it is not there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum kind { WRITE, SYNC, NAME };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long count;

#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int is_ours(const char *path) {
    const char *directory = getenv("FAULT_DIRECTORY");
    return directory && *directory && strncmp(path, directory, strlen(directory)) == 0;
}

static int path_of(int descriptor, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return is_ours(path);
}

static void note(long number, const char *call, const char *path, long long length, const char *action) {
    const char *log = getenv("FAULT_LOG");
    if (!log) return;
    int descriptor = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (descriptor < 0) return;
    const char *name = strrchr(path, '/');
    char line[PATH_MAX + 128];
    int count = snprintf(line, sizeof line, "%ld %s %s %lld %s\n", number, call, name ? name + 1 : path, length, action);
    static ssize_t (*next)(int, const void *, size_t);
    if (!next) next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (next(descriptor, line, count) < 0) abort();
    close(descriptor);
}

static int error_named(const char *name) {
    if (strcmp(name, "EIO") == 0) return EIO;
    if (strcmp(name, "ENOSPC") == 0) return ENOSPC;
    if (strcmp(name, "EDQUOT") == 0) return EDQUOT;
    if (strcmp(name, "EFBIG") == 0) return EFBIG;
    fprintf(stderr, "FAULT_ACTION=%s is unknown\n", name);
    abort();
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* What is late, in order. Whoever looks at a file has all of it written first. */
struct late {
    struct late *next;
    int descriptor;
    off64_t offset;
    size_t length;
    struct timespec due;
    char bytes[];
};

static pthread_mutex_t late_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct late *late_first, **late_end = &late_first;

static void write_late(const struct timespec *until) {
    static ssize_t (*next)(int, const void *, size_t, off64_t);
    if (!next) next = (ssize_t(*)(int, const void *, size_t, off64_t))dlsym(RTLD_NEXT, "pwrite64");
    pthread_mutex_lock(&late_mutex);
    struct late *late;
    while ((late = late_first)) {
        if (until && (late->due.tv_sec > until->tv_sec
                || (late->due.tv_sec == until->tv_sec && late->due.tv_nsec > until->tv_nsec))) break;
        if (next(late->descriptor, late->bytes, late->length, late->offset) != (ssize_t)late->length) abort();
        if (!(late_first = late->next)) late_end = &late_first;
        free(late);
    }
    pthread_mutex_unlock(&late_mutex);
}

static void *write_what_is_due(void *nothing) {
    for (;;) {
        struct timespec now;
        usleep(5000);
        clock_gettime(CLOCK_MONOTONIC, &now);
        write_late(&now);
    }
    return nothing;
}

static void start_late(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, write_what_is_due, NULL)) abort();
}

static ssize_t keep_late(int descriptor, const void *bytes, size_t length, off64_t offset) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_late);
    struct late *late = malloc(sizeof *late + length);
    if (!late) abort();
    *late = (struct late){.descriptor = descriptor, .offset = offset, .length = length};
    memcpy(late->bytes, bytes, length);
    clock_gettime(CLOCK_MONOTONIC, &late->due);
    late->due.tv_nsec += 80000000;
    if (late->due.tv_nsec >= 1000000000) {
        late->due.tv_sec++;
        late->due.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&late_mutex);
    *late_end = late;
    late_end = &late->next;
    pthread_mutex_unlock(&late_mutex);
    return (ssize_t)length;
}

/* Zero: go on. Negative: write half of it, and then die or say so, or write it later. Otherwise the error. */
enum { TORN = -1, SHORT = -2, LATE = -3 };

static int fault(enum kind kind, const char *call, const char *path, long long length) {
    const char *held = getenv("FAULT_HELD");
    if (held && access(held, F_OK) != 0) return 0;
    const char *wanted = getenv("FAULT_KIND");
    if (wanted && strcmp(wanted, "write") == 0 && kind != WRITE) return 0;
    if (wanted && strcmp(wanted, "sync") == 0 && kind != SYNC) return 0;
    pthread_mutex_lock(&mutex);
    long number = ++count;
    const char *at = getenv("FAULT_AT");
    const char *action = at && atol(at) <= number ? getenv("FAULT_ACTION") : NULL;
    int is_slow = action && strcmp(action, "slow") == 0;
    int is_late = action && strcmp(action, "late") == 0;
    if (action && !is_slow && !is_late && atol(at) != number) action = NULL;
    note(number, call, path, length, action ? action : "-");
    pthread_mutex_unlock(&mutex);
    if (!action) return 0;
    if (is_slow) {
        const char *seconds = getenv("FAULT_SECONDS");
        sleep(seconds ? atoi(seconds) : 1);
        return 0;
    }
    if (is_late) {
        if (kind == NAME) write_late(NULL);
        return kind == NAME ? 0 : LATE;
    }
    if (strcmp(action, "hang") == 0) for (;;) pause();
    if (strcmp(action, "torn") == 0 && kind == WRITE) return TORN;
    if (strcmp(action, "short") == 0 && kind == WRITE) return SHORT;
    if (strcmp(action, "kill") == 0 || strcmp(action, "torn") == 0) die();
    return error_named(action);
}

#define WRITING(call, descriptor, bytes, length, offset, ...) \
    NEXT(call); \
    char path[PATH_MAX]; \
    int error = path_of(descriptor, path) ? fault(WRITE, #call, path, (long long)(length)) : 0; \
    if (error == LATE) { \
        if ((offset) >= 0) return keep_late(descriptor, bytes, length, offset); \
        write_late(NULL); \
        return next(__VA_ARGS__); \
    } \
    if (error < 0) { \
        length /= 2; \
        ssize_t written = next(__VA_ARGS__); \
        if (error == SHORT) return written; \
        die(); \
    } \
    if (error) { errno = error; return -1; } \
    return next(__VA_ARGS__)

ssize_t write(int descriptor, const void *bytes, size_t length) {
    WRITING(write, descriptor, bytes, length, -1, descriptor, bytes, length);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    WRITING(pwrite, descriptor, bytes, length, offset, descriptor, bytes, length, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    WRITING(pwrite64, descriptor, bytes, length, offset, descriptor, bytes, length, offset);
}

#define FAILING(kind, call, isCounted, path, ...) \
    NEXT(call); \
    int error = (isCounted) ? fault(kind, #call, path, 0) : 0; \
    if (error == LATE) return 0; \
    if (error) { errno = error; return -1; } \
    return next(__VA_ARGS__)

/* To another length is done or not done, never by halves. */
int ftruncate(int descriptor, off_t length) {
    char path[PATH_MAX];
    FAILING(NAME, ftruncate, path_of(descriptor, path), path, descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
    char path[PATH_MAX];
    FAILING(NAME, ftruncate64, path_of(descriptor, path), path, descriptor, length);
}

int fsync(int descriptor) {
    char path[PATH_MAX];
    FAILING(SYNC, fsync, path_of(descriptor, path), path, descriptor);
}

int fdatasync(int descriptor) {
    char path[PATH_MAX];
    FAILING(SYNC, fdatasync, path_of(descriptor, path), path, descriptor);
}

int unlink(const char *path) { FAILING(NAME, unlink, is_ours(path), path, path); }

int rename(const char *old, const char *new) { FAILING(NAME, rename, is_ours(new), new, old, new); }

#define LOOKING(call, descriptor, ...) \
    NEXT(call); \
    char path[PATH_MAX]; \
    if (late_first && path_of(descriptor, path)) write_late(NULL); \
    return next(__VA_ARGS__)

ssize_t read(int descriptor, void *bytes, size_t length) { LOOKING(read, descriptor, descriptor, bytes, length); }

ssize_t pread(int descriptor, void *bytes, size_t length, off_t offset) {
    LOOKING(pread, descriptor, descriptor, bytes, length, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t length, off64_t offset) {
    LOOKING(pread64, descriptor, descriptor, bytes, length, offset);
}

int fstat(int descriptor, struct stat *status) { LOOKING(fstat, descriptor, descriptor, status); }

int fstat64(int descriptor, struct stat64 *status) { LOOKING(fstat64, descriptor, descriptor, status); }

int close(int descriptor) { LOOKING(close, descriptor, descriptor); }
