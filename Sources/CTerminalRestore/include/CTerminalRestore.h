#ifndef C_TERMINAL_RESTORE_H
#define C_TERMINAL_RESTORE_H

#include <stddef.h>

// Restores a terminal however the process ends, and reports signals to a loop. It is in C because a signal handler may do
// almost nothing: no allocation, no lock, no call into the runtime of Swift.

// Makes a terminal raw: every key arrives at once, nothing is echoed, and no key is a signal. When the process ends, the
// terminal gets its current settings again, and these bytes, at most 512. The loop gets SIGWINCH, SIGCONT, SIGTSTP, SIGINT,
// SIGTERM, SIGHUP and SIGQUIT as one byte each, the signal's number. Returns the descriptor to read them from, or -1 with the
// reason in `errno`.
int terminal_restore_arm(int descriptor, const void *bytes, size_t length);

// Makes the terminal raw again, after another program used it. Returns 0 if another program still has it: this process is in
// the background, where using the terminal would stop it.
int terminal_restore_raw(void);

// Whether this process may read from the terminal. True also for a terminal that does not control the process.
int terminal_restore_is_in_foreground(void);

// Restores the terminal once; later calls do nothing.
void terminal_restore_now(void);

// Restores the terminal for a program that this process starts and waits for: input that was already typed is for that program.
// Until `terminal_restore_from_child`, ^C and ^\ are for that program alone.
void terminal_restore_for_child(void);

// Restores the terminal after that program has ended, which may have left other settings.
void terminal_restore_from_child(void);

// Stops the process group as ^Z does, with the default handler of SIGTSTP.
void terminal_restore_stop(void);

#endif
