#include "connection.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "LoadGenerator: ");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) fail("out of memory");
    return memory;
}

char *roomFor(struct Bytes *bytes, size_t length) {
    if (bytes->length + length > bytes->capacity) {
        bytes->capacity = 2 * (bytes->length + length);
        bytes->start = realloc(bytes->start, bytes->capacity);
        if (!bytes->start) fail("out of memory");
    }
    return bytes->start + bytes->length;
}

void append(struct Bytes *bytes, const void *start, size_t length) {
    memcpy(roomFor(bytes, length), start, length);
    bytes->length += length;
}

void appendFormat(struct Bytes *bytes, const char *format, ...) {
    enum { LENGTH_MAX = 1024 };
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(roomFor(bytes, LENGTH_MAX), LENGTH_MAX, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= LENGTH_MAX) fail("a request is too long");
    bytes->length += (size_t)length;
}
