// What the process was started with. Swift's `CommandLine.arguments` walks to it from where the environment lies, and is
// empty when a preloaded library has had the environment moved before `main` (libfaketime does, with setenv).

/// The arguments as the kernel handed them over, the program's own name first; the last is followed by NULL.
char *const *process_arguments(void);
