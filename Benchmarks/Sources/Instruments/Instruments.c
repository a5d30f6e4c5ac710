#include "Instruments.h"

#include <malloc.h>

size_t bytesInUse(void) {
    struct mallinfo2 usage = mallinfo2();
    return usage.uordblks + usage.hblkhd;
}
