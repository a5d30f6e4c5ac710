// What a daemon holds of the machine's memory beside what it keeps in it. In C, because Swift's Glibc module leaves out
// malloc.h and link.h.
//
// Whoever links this has one area of free memory for all threads: what one of them frees another can use, and it grows by
// much at a time, where an area of a thread's own grows by a page, with a system call for each.

/// Gives back what only the start needed: free memory, and the pages that were read of the program and its libraries.
/// Those that are needed again are still in the system's cache of files.
void resident_memory_release(void);

/// Gives back free memory alone, also what lies between what is in use. Who allocates or frees meanwhile waits for it.
void resident_memory_trim(void);
