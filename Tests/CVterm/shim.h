#include <pty.h>
#include <termios.h>
#include <vterm.h>

// What Swift's Glibc leaves out. The path has room for 64 characters.
static inline int open_pseudo_terminal(int *controller, int *terminal, char *path) {
    return openpty(controller, terminal, path, NULL, NULL);
}

static inline unsigned terminal_local_flags(int descriptor) {
    struct termios settings;
    return tcgetattr(descriptor, &settings) == 0 ? settings.c_lflag : 0;
}
