#include "CBootTimer.h"

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Never returns a standard descriptor, which the program may have been started without: output to it would be written to the
// timer.
int boot_timer_open(void) {
    int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
    if (timer < 0 || timer > STDERR_FILENO) return timer;
    int other = fcntl(timer, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(timer);
    return other;
}

void boot_timer_set(int timer, uint64_t nanoseconds) {
    struct itimerspec setting = {
        .it_value = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)}};
    timerfd_settime(timer, 0, &setting, NULL);
}

// Signals with handlers interrupt the read, which is repeated.
void boot_timer_wait(int timer) {
    uint64_t expirations;
    while (read(timer, &expirations, sizeof expirations) < 0) {}
}
