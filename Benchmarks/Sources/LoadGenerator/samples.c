#include "samples.h"

#include <stdio.h>
#include <stdlib.h>

#include "connection.h"

void addSample(struct Samples *samples, uint64_t value) {
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity ? 2 * samples->capacity : 1 << 16;
        samples->values = realloc(samples->values, samples->capacity * sizeof *samples->values);
        if (!samples->values) fail("out of memory");
    }
    samples->values[samples->count++] = value;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Of samples in order, by the nearest rank.
static double quantile(const struct Samples *samples, double part) {
    if (!samples->count) return 0;
    size_t rank = (size_t)(part * (double)(samples->count - 1) + 0.5);
    return (double)samples->values[rank] / 1e3;
}

void printQuantiles(const char *name, struct Samples *samples) {
    if (samples->count) qsort(samples->values, samples->count, sizeof *samples->values, compare);
    printf(
        ",\"%sP50Microseconds\":%.1f,\"%sP99Microseconds\":%.1f,\"%sMaxMicroseconds\":%.1f", name,
        quantile(samples, 0.5), name, quantile(samples, 0.99), name, quantile(samples, 1));
}
