// What processes and the machine have used so far. All times are in nanoseconds.
#pragma once

#include <stdint.h>
#include <sys/types.h>

struct Usage {
    uint64_t time;
    uint64_t server, own;             // Processor time of the server's process and of this one.
    uint64_t serverWaited, ownWaited; // How long their threads could have run while something else had the core.
    uint64_t busy, stolen;            // Of all cores together, in ticks of 10 ms.
};

uint64_t now(void);
struct Usage takeUsage(pid_t server);
