// The arguments of the process. Swift's `CommandLine.arguments` finds them relative to the environment, and is empty if a
// preloaded library has moved the environment before `main` (libfaketime does, with setenv).

/// The arguments from the kernel, beginning with the program's own name; NULL follows the last one.
char *const *process_arguments(void);
