#include "CBootTimer.h"

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Never returns 0, 1 or 2, even if the program was started without these descriptors: output would go to the timer.
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
