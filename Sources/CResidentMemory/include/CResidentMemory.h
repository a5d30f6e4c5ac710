// What a daemon holds of the machine's memory beside what it keeps in it. In C, because Swift's Glibc module leaves out
// malloc.h and link.h.
//
// Whoever links this has one area of free memory for all threads: what one of them frees another can use, and it grows by
// much at a time, where an area of a thread's own grows by a page, with a system call for each.

#include <stddef.h>

/// Gives back free memory, and the pages that were read of the program and its libraries. The system's cache of files still
/// has those that are needed again.
void resident_memory_release(void);

/// Gives back free memory alone, also where it lies between memory in use. Other threads wait meanwhile when they allocate or
/// free: about 7 ms for each 100 MB that are given back.
void resident_memory_trim(void);

/// The resident memory that is in no file, in bytes; 0 if that is not known.
size_t resident_memory_anonymous(void);
