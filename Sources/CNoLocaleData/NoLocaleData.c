#include <stdint.h>

// Replaces the data of ICU, which is linked in with Foundation: a table of contents without entries (ICU calls this stub data).
// The daemon uses no locale, calendar or time zone, and ICU's data is 34 MB, nearly half of the program. The data that ICU
// needs for text itself (cases, normal forms, properties) is separate.
//
// The name contains ICU's version. If Swift includes another version, its data is linked in: the program is larger then, and
// works as well.

const struct {
    uint16_t headerLength;
    uint8_t magic[2];
    uint16_t infoLength, reserved;
    uint8_t isBigEndian, charset, codeUnitLength, reserved2;
    uint8_t format[4], formatVersion[4], dataVersion[4];
    uint8_t padding[8];
    uint32_t entryCount, end;
} icudt76_dat __attribute__((aligned(16))) = {
    .headerLength = 32,
    .magic = {0xda, 0x27},
    .infoLength = 20,
    .isBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
    .codeUnitLength = 2,
    .format = "CmnD",
    .formatVersion = {1},
};
