#include <stdint.h>

// Stands where ICU, which is linked in with Foundation, looks for its data: a table of contents without entries (ICU
// calls this stub data). The daemon asks for no locale, calendar or time zone, and ICU's data is 34 MB, nearly half of
// the program. What ICU needs for text itself (cases, normal forms, properties) is not in this data.
//
// The name has ICU's version in it. Where Swift comes with another one, that one's data is linked in: the program is
// larger then, and works as well.

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
