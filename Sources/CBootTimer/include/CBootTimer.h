// A timer as a descriptor, on the clock that continues while the machine sleeps. In C, because Swift's Glibc module lacks
// sys/timerfd.h.

#include <stdint.h>

/// Returns a descriptor that is readable when the timer expires; negative on failure, with the reason in `errno`.
int boot_timer_open(void);

/// Sets the timer to expire once after this many nanoseconds, and cancels an earlier setting. 0 stops it.
void boot_timer_set(int timer, uint64_t nanoseconds);

/// Sleeps until the timer has expired.
void boot_timer_wait(int timer);
