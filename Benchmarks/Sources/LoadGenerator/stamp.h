// What every message begins with, in letters that stand unescaped in JSON: who published it, as which of its messages,
// and when. Each letter is four bits, `@` to `O`, so that reading millions of them a second costs next to nothing.
#pragma once

#include <stdint.h>
#include <string.h>

enum { STAMP_LENGTH = 32 };

struct Stamp {
    uint32_t publisher, number;
    uint64_t time; // In nanoseconds of the monotonic clock.
};

static inline void writeLetters(char *letters, int count, uint64_t value) {
    for (int at = count - 1; at >= 0; at--, value >>= 4) letters[at] = (char)('@' + (value & 15));
}

static inline uint32_t readEightLetters(const char *letters) {
    uint64_t word;
    memcpy(&word, letters, 8);
    word = __builtin_bswap64(word) & 0x0F0F0F0F0F0F0F0F; // The first letter is the highest; then pairs are joined.
    word = (word | word >> 4) & 0x00FF00FF00FF00FF;
    word = (word | word >> 8) & 0x0000FFFF0000FFFF;
    return (uint32_t)(word | word >> 16);
}

// Fills a message of `length` bytes, which is at least a stamp's.
static inline void writeMessage(char *message, size_t length, struct Stamp stamp) {
    writeLetters(message, 8, stamp.publisher);
    writeLetters(message + 8, 8, stamp.number);
    writeLetters(message + 16, 16, stamp.time);
    memset(message + STAMP_LENGTH, '.', length - STAMP_LENGTH);
}

static inline struct Stamp readStamp(const char *message) {
    struct Stamp stamp = {.publisher = readEightLetters(message), .number = readEightLetters(message + 8)};
    stamp.time = (uint64_t)readEightLetters(message + 16) << 32 | readEightLetters(message + 24);
    return stamp;
}
