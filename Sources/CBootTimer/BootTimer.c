#include "CBootTimer.h"

#include <fcntl.h>
#include <sys/timerfd.h>
#include <unistd.h>

// Never one of the standard descriptors, which a program may have been started without: what is written to them would go to it.
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

// It is interrupted by signals whose handlers do something, and waits again.
void boot_timer_wait(int timer) {
    uint64_t expirations;
    while (read(timer, &expirations, sizeof expirations) < 0) {}
}
