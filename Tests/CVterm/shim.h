#include <fcntl.h>
#include <stddef.h>
#include <termios.h>
#include <vterm.h>

// What Swift's Glibc leaves out, and the C library has for those who define _GNU_SOURCE. No end is open in a program that
// another thread starts meanwhile: a terminal that somebody holds is not hung up, and a pipe does not end.

// The path has room for 64 characters.
static inline int open_pseudo_terminal(int *controller, int *terminal, char *path) {
    extern int posix_openpt(int), grantpt(int), unlockpt(int), ptsname_r(int, char *, size_t);
    *controller = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (grantpt(*controller) != 0 || unlockpt(*controller) != 0 || ptsname_r(*controller, path, 64) != 0)
        return -1;
    *terminal = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
    return *terminal < 0 ? -1 : 0;
}

static inline int open_pipe(int *ends) {
    extern int pipe2(int *, int);
    return pipe2(ends, O_CLOEXEC);
}

static inline unsigned terminal_local_flags(int descriptor) {
    struct termios settings;
    return tcgetattr(descriptor, &settings) == 0 ? settings.c_lflag : 0;
}
