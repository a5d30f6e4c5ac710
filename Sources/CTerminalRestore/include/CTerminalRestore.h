#ifndef C_TERMINAL_RESTORE_H
#define C_TERMINAL_RESTORE_H

#include <stddef.h>

// Puts a terminal back as it was, whatever ends the process, and tells a loop of signals. It is in C because a signal
// handler may do nearly nothing: no allocation, no lock, no call into the runtime of Swift.

// Makes a terminal raw: every key comes at once, nothing is echoed, and no key is a signal. When the process ends, the
// terminal gets the settings that it has now, and these bytes, of which there may be 512. The loop is told of SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM, SIGHUP and SIGQUIT by one byte each, their number.
//
// Returns the descriptor to read those from, or -1 with errno.
int terminal_restore_arm(int descriptor, const void *bytes, size_t length);

// Makes the terminal raw once more, after somebody else had it. Returns 0 when somebody else still has it: the process is in
// the background, where touching the terminal would stop it.
int terminal_restore_raw(void);

// Whether the terminal is this process's to read from. It is also when it is not the one that controls the process.
int terminal_restore_is_in_foreground(void);

// Writes what there is to put back, once; nothing when it is done already.
void terminal_restore_now(void);

// The same for a program that this one starts and waits for: what was typed already is for it.
void terminal_restore_for_child(void);

// Stops the process group as ^Z does, without a handler in the way.
void terminal_restore_stop(void);

#endif
