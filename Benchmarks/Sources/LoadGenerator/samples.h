// Measured times, all of them, so that every quantile is exact.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct Samples {
    uint64_t *values; // In nanoseconds.
    size_t count, capacity;
};

void addSample(struct Samples *, uint64_t value);

// Prints members of a JSON object, each with a comma before it, in microseconds. Sorts the samples.
void printQuantiles(const char *name, struct Samples *);
