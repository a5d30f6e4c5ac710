#include "CProcessArguments.h"

#include <stddef.h>

static char *none[] = {NULL};
static char **arguments = none;

// The C library calls constructors with the arguments of `main`.
__attribute__((constructor)) static void keep_arguments(int count, char **received) {
    (void)count;
    if (received) arguments = received;
}

char *const *process_arguments(void) { return arguments; }
