// A timer as a descriptor, on the clock that goes on while the machine sleeps. In C, because Swift's Glibc module leaves out
// sys/timerfd.h.

#include <stdint.h>

/// A descriptor that can be read when the timer expires; negative when there is none, with errno.
int boot_timer_open(void);

/// It expires once, so many nanoseconds from now; instead of when it was set to before. 0 stops it.
void boot_timer_set(int timer, uint64_t nanoseconds);

/// Sleeps until it has expired.
void boot_timer_wait(int timer);
