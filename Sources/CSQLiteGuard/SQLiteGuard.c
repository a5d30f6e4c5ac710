#define _GNU_SOURCE
#include "CSQLiteGuard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(int place, int error) {
    close(place);
    errno = error;
    return -1;
}

// Finds a file below an open directory without opening it (O_PATH). No part of the path may be a symbolic link.
static int find_below(int place, const char *path, size_t length) {
    const char *end = path + length;
    while (place >= 0) {
        while (path < end && *path == '/') path++;
        if (path == end) return place;
        const char *rest = memchr(path, '/', (size_t)(end - path));
        if (!rest) rest = end;
        char name[NAME_MAX + 1];
        if (rest - path > NAME_MAX) return fail(place, ENAMETOOLONG);
        memcpy(name, path, (size_t)(rest - path));
        name[rest - path] = 0;
        int next = openat(place, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | (rest < end ? O_DIRECTORY : 0));
        fail(place, errno);
        place = next;
        path = rest;
    }
    return -1;
}

int open_regular_file(const char *path, int flags, int mode) {
    // SQLite opens a temporary file with O_EXCL. The path to its directory may have links.
    int is_strict = (flags & O_NOFOLLOW) && !(flags & O_EXCL) && *path == '/';
    // O_PATH finds the file without opening it, so no other process can replace it after the check.
    int place = is_strict ? find_below(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), path, strlen(path))
                          : open(path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
    if (place < 0) {
        // Only a file that this call creates is opened.
        if (errno != ENOENT || !(flags & O_CREAT)) return -1;
        int creation = flags | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        if (!is_strict) return open(path, creation, mode);
        const char *name = strrchr(path, '/') + 1;
        int directory = find_below(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), path, (size_t)(name - path));
        if (directory < 0) return -1;
        int file = openat(directory, name, creation, mode);
        fail(directory, errno);
        return file;
    }
    struct stat status;
    if (fstat(place, &status) != 0) return fail(place, errno);
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return fail(place, ENXIO);
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return fail(place, EEXIST);
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", place);
    int descriptor = open(name, (flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW)) | O_CLOEXEC);
    int error = errno;
    close(place);
    errno = error;
    return descriptor;
}

static int sqlite_open(const char *path, int flags, int mode) {
    // SQLite's only device, for its random numbers.
    if (strcmp(path, "/dev/urandom") == 0) return open(path, flags, mode);
    return open_regular_file(path, flags, mode);
}

static _Thread_local volatile sig_atomic_t is_reading, was_truncated;
static _Thread_local sigset_t mask_before;
static struct sigaction action_before;

// Maps a page of zeros after the end of the file, so that the repeated access succeeds.
static void replace_page(int signal, siginfo_t *information, void *context) {
    (void)context;
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)information->si_addr & ~(size - 1));
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    if (is_reading && information->si_code == BUS_ADRERR
        && mmap(page, size, PROT_READ | PROT_WRITE, flags, -1, 0) != MAP_FAILED) {
        was_truncated = 1;
        return;
    }
    // The fault is not in a database, or no page could be mapped. The access is repeated, now without this handler.
    sigaction(signal, &action_before, NULL);
}

void sqlite_guard_process(void) {
    sqlite3_vfs *files = sqlite3_vfs_find(NULL);
    if (files && files->iVersion >= 3) files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)sqlite_open);
    struct sigaction action = {.sa_sigaction = replace_page, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &action_before);
}

void sqlite_guard_begin(void) {
    was_truncated = 0;
    is_reading = 1;
    // The threads of libdispatch block signals, and the kernel ends a process with a blocked fault signal.
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGBUS);
    pthread_sigmask(SIG_UNBLOCK, &mask, &mask_before);
}

bool sqlite_guard_end(void) {
    is_reading = 0;
    pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
    return was_truncated;
}

void sqlite_guard_connection(sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
}
