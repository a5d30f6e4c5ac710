// A connection to the server under load: what it sends, what it was sent, and what that is checked against.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Bytes {
    char *start;
    size_t length, capacity;
};

enum Role { SUBSCRIBER, PUBLISHER };

struct Connection {
    enum Role role;
    int index;
    int descriptor;
    bool isReady;   // Subscribed, or let in.
    bool isGone;    // The server has closed it.
    bool isBlocked; // Waits for room in the socket.
    struct Bytes output;
    size_t sent; // Of the output.
    struct Bytes unfinished;

    // A subscriber's: for each publisher the number that must come next.
    uint32_t *expected;

    // A publisher's: what is sent next, and when those messages were sent that are not answered.
    uint32_t next;
    uint64_t *unanswered;
    uint32_t firstUnanswered, endOfUnanswered, unansweredMask;
};

static inline uint32_t numberUnanswered(const struct Connection *connection) {
    return connection->endOfUnanswered - connection->firstUnanswered;
}

_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *allocate(size_t count, size_t size);

// Room for `length` more bytes; the caller adds what it used to the length.
char *roomFor(struct Bytes *bytes, size_t length);
void append(struct Bytes *bytes, const void *start, size_t length);
void appendFormat(struct Bytes *bytes, const char *format, ...) __attribute__((format(printf, 2, 3)));
