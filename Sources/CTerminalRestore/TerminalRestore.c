#define _GNU_SOURCE
#include "CTerminalRestore.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { bytes_max = 512 };

static struct {
    int descriptor;
    struct termios settings;
    char bytes[bytes_max];
    size_t length;
} saved = {.descriptor = -1};

// Only atomic values may be shared with a handler.
static volatile sig_atomic_t is_armed = 0;
static volatile sig_atomic_t is_ending = 0;
static volatile sig_atomic_t is_lent = 0;
static int signal_pipe[2] = {-1, -1};

static const int told[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
enum { told_count = sizeof told / sizeof *told, fatal_count = sizeof fatal / sizeof *fatal };
static struct sigaction fatal_before[fatal_count];

int terminal_restore_is_in_foreground(void) {
    pid_t group = tcgetpgrp(saved.descriptor);
    return group < 0 || group == getpgrp();
}

static void restore(int drops_input) {
    if (!__sync_bool_compare_and_swap(&is_armed, 1, 0))
        return;
    int number = errno;
    size_t written = 0;
    // A stopped terminal accepts nothing, so the attempts are limited.
    for (int attempt = 0; written < saved.length && attempt < 4; attempt++) {
        ssize_t count = write(saved.descriptor, saved.bytes + written, saved.length - written);
        if (count > 0) {
            written += (size_t)count;
        } else if (count < 0 && errno == EAGAIN) {
            struct pollfd room = {.fd = saved.descriptor, .events = POLLOUT};
            if (poll(&room, 1, 50) <= 0)
                break;
        } else if (count >= 0 || errno != EINTR) {
            break;
        }
    }
    // A background process has lost the terminal to a shell, which has set it up for itself.
    if (terminal_restore_is_in_foreground()) {
        // Not TCSAFLUSH, which waits until the output is written.
        tcsetattr(saved.descriptor, TCSANOW, &saved.settings);
        if (drops_input)
            tcflush(saved.descriptor, TCIFLUSH);
    }
    errno = number;
}

// Drops unread input, which would otherwise go to the shell.
void terminal_restore_now(void) { restore(1); }

void terminal_restore_for_child(void) {
    is_lent = 1;
    restore(0);
}

void terminal_restore_from_child(void) {
    is_lent = 0;
    if (saved.descriptor >= 0 && terminal_restore_is_in_foreground())
        tcsetattr(saved.descriptor, TCSANOW, &saved.settings);
}

static void end_by(int signal) {
    terminal_restore_now();
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(signal, &standard, NULL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, signal);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(signal);
}

static void tell(int signal) {
    if (is_lent && (signal == SIGINT || signal == SIGQUIT))
        return;
    int number = errno;
    // Without a terminal to restore, a signal has its default effect. A second signal ends the process even if the loop hangs.
    if (signal == SIGINT || signal == SIGTERM || signal == SIGQUIT || signal == SIGHUP) {
        if (!is_armed || is_ending)
            end_by(signal);
        is_ending = 1;
    } else if (signal == SIGTSTP && !is_armed) {
        raise(SIGSTOP);
    }
    unsigned char byte = (unsigned char)signal;
    // A full pipe already has enough for the loop to handle.
    ssize_t count = write(signal_pipe[1], &byte, 1);
    (void)count;
    errno = number;
}

static void crash(int signal) {
    terminal_restore_now();
    // The previous handler reports the crash, or writes a core.
    for (int index = 0; index < fatal_count; index++)
        if (fatal[index] == signal)
            sigaction(signal, &fatal_before[index], NULL);
    // A fault repeats when the handler returns, but a signal from another process does not, so it is sent again.
    raise(signal);
}

static int install(void) {
    if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    struct sigaction telling = {.sa_handler = tell, .sa_flags = SA_RESTART};
    sigfillset(&telling.sa_mask);
    // The parent process may have blocked these signals.
    sigset_t heard;
    sigemptyset(&heard);
    for (int index = 0; index < told_count; index++) {
        struct sigaction before;
        // A signal that the parent ignores (nohup) stays ignored.
        if (sigaction(told[index], NULL, &before) == 0 && before.sa_handler == SIG_IGN && told[index] == SIGHUP)
            continue;
        sigaction(told[index], &telling, NULL);
        sigaddset(&heard, told[index]);
    }
    pthread_sigmask(SIG_UNBLOCK, &heard, NULL);
    struct sigaction crashing = {.sa_handler = crash, .sa_flags = SA_ONSTACK};
    sigemptyset(&crashing.sa_mask);
    for (int index = 0; index < fatal_count; index++)
        sigaction(fatal[index], &crashing, &fatal_before[index]);
    // A stack overflow leaves no room for a handler.
    static char stack[64 << 10];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    stack_t present;
    if (sigaltstack(NULL, &present) == 0 && present.ss_flags & SS_DISABLE)
        sigaltstack(&alternate, NULL);
    atexit(terminal_restore_now);
    return 0;
}

int terminal_restore_raw(void) {
    if (!terminal_restore_is_in_foreground())
        return 0;
    struct termios raw = saved.settings;
    cfmakeraw(&raw);
    tcsetattr(saved.descriptor, TCSANOW, &raw);
    return 1;
}

int terminal_restore_arm(int descriptor, const void *bytes, size_t length) {
    is_armed = 0;
    is_ending = 0;
    if (tcgetattr(descriptor, &saved.settings) != 0 || (signal_pipe[0] < 0 && install() != 0))
        return -1;
    saved.descriptor = descriptor;
    saved.length = length < bytes_max ? length : bytes_max;
    memcpy(saved.bytes, bytes, saved.length);
    __sync_synchronize();
    is_armed = 1;
    terminal_restore_raw();
    return signal_pipe[0];
}

void terminal_restore_stop(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    struct sigaction before;
    sigaction(SIGTSTP, &standard, &before);
    kill(0, SIGTSTP);
    // Another thread may handle the signal a moment later. In an orphaned process group, the signal is ignored.
    struct pollfd told_of = {.fd = signal_pipe[0], .events = POLLIN};
    for (int attempt = 0; attempt < 4 && poll(&told_of, 1, 50) < 0 && errno == EINTR; attempt++) {}
    sigaction(SIGTSTP, &before, NULL);
}
