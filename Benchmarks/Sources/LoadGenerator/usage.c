#include "usage.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static uint64_t clockTime(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time)) return 0;
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t now(void) { return clockTime(CLOCK_MONOTONIC); }

static uint64_t processorTime(pid_t process) {
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) ? 0 : clockTime(clock);
}

// The second number of a thread's schedstat.
static uint64_t timeWaited(pid_t process) {
    char path[320];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    if (!threads) return 0;
    uint64_t sum = 0;
    for (struct dirent *thread; (thread = readdir(threads));) {
        if (thread->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)process, thread->d_name);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        uint64_t ran, waited;
        if (fscanf(file, "%" SCNu64 " %" SCNu64, &ran, &waited) == 2) sum += waited;
        fclose(file);
    }
    closedir(threads);
    return sum;
}

static void takeMachine(struct Usage *usage) {
    FILE *file = fopen("/proc/stat", "r");
    if (!file) return;
    uint64_t user, nice, system, idle, inputOutput, interrupts, softInterrupts, stolen;
    int count = fscanf(
        file, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &user,
        &nice, &system, &idle, &inputOutput, &interrupts, &softInterrupts, &stolen);
    fclose(file);
    if (count != 8) return;
    uint64_t tick = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
    usage->busy = (user + nice + system + interrupts + softInterrupts) * tick;
    usage->stolen = stolen * tick;
}

struct Usage takeUsage(pid_t server) {
    struct Usage usage = {
        .time = now(),
        .server = processorTime(server),
        .own = clockTime(CLOCK_PROCESS_CPUTIME_ID),
        .serverWaited = timeWaited(server),
        .ownWaited = timeWaited(getpid()),
    };
    takeMachine(&usage);
    return usage;
}
