// How each server is spoken to: what a client says first, how it publishes, and what the server's bytes mean.
#pragma once

#include "connection.h"

struct Dialect {
    const char *name;
    // How many bytes of a message's length the server's form takes, like the quotes of a JSON string.
    size_t lengthOfForm;
    void (*greet)(struct Connection *);
    void (*publish)(struct Connection *, const char *message, size_t length);
    // Reads what is whole of the bytes, reports what it means, and returns how long it was.
    size_t (*receive)(struct Connection *, const char *bytes, size_t length);
};

const struct Dialect *dialectNamed(const char *name);

// Set before the first connection: a message's length without the form.
extern size_t messageLength;

// What a dialect reports.
void isReady(struct Connection *);
void isAnswered(struct Connection *);
void isDelivered(struct Connection *, const char *message);
void isRefused(struct Connection *, const char *reason, size_t length);
