/* Has the environment moved before `main`, for a program that it is loaded into with LD_PRELOAD, as libfaketime does.
 *
 * It is done with the first memory that anything asks for, so that it comes before every constructor also where Swift's
 * runtime is a library of its own; and again when the C library has found the environment that the kernel made.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t length);

void *malloc(size_t length) {
    static char **moved;
    /* setenv asks for memory, though its declaration says that it comes back to nobody. */
    static volatile int is_moving;
    if (!is_moving && environ && environ != moved) {
        is_moving = 1;
        setenv("ENVIRONMENT_MOVED", "1", 1);
        moved = environ;
        is_moving = 0;
    }
    return __libc_malloc(length);
}
