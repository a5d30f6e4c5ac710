/* Makes storage fail at a chosen call, for a program that it is loaded into with LD_PRELOAD.
 *
 * Calls that change or sync files under FAULT_DIRECTORY are counted from 1, in one order over all threads, and written
 * to FAULT_LOG, one a line: the number, the call, the file's name, the length, and what was done to it. FAULT_AT is the
 * number that fails, FAULT_KIND what is counted and can fail (write, sync or any), and FAULT_ACTION how:
 *
 *   kill   the process dies before the call           torn   half of the write is done, then the process dies
 *   EIO, ENOSPC, EDQUOT, EFBIG   the call fails with this error, and nothing of it is done
 *   hang   the call never returns                    slow   this call and those after take FAULT_SECONDS longer
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

/* Zero: go on. One: write half of it and die. Otherwise the error. */
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
    if (action && !is_slow && atol(at) != number) action = NULL;
    note(number, call, path, length, action ? action : "-");
    pthread_mutex_unlock(&mutex);
    if (!action) return 0;
    if (is_slow) {
        const char *seconds = getenv("FAULT_SECONDS");
        sleep(seconds ? atoi(seconds) : 1);
        return 0;
    }
    if (strcmp(action, "hang") == 0) for (;;) pause();
    if (strcmp(action, "torn") == 0 && kind == WRITE) return 1;
    if (strcmp(action, "kill") == 0 || strcmp(action, "torn") == 0) die();
    return error_named(action);
}

#define WRITING(call, descriptor, length, ...) \
    NEXT(call); \
    char path[PATH_MAX]; \
    int error = path_of(descriptor, path) ? fault(WRITE, #call, path, (long long)(length)) : 0; \
    if (error == 1) { \
        length /= 2; \
        (void)!next(__VA_ARGS__); \
        die(); \
    } \
    if (error) { errno = error; return -1; } \
    return next(__VA_ARGS__)

ssize_t write(int descriptor, const void *bytes, size_t length) {
    WRITING(write, descriptor, length, descriptor, bytes, length);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    WRITING(pwrite, descriptor, length, descriptor, bytes, length, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    WRITING(pwrite64, descriptor, length, descriptor, bytes, length, offset);
}

#define FAILING(kind, call, isCounted, path, ...) \
    NEXT(call); \
    int error = (isCounted) ? fault(kind, #call, path, 0) : 0; \
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
