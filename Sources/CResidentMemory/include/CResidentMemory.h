// Reduces the resident memory of a daemon. In C, because Swift's Glibc module lacks malloc.h and link.h.
//
// A program that links this has one arena of free memory for all threads: memory that one of them frees can be used by another,
// and the arena grows in large steps, while a thread's own arena grows page by page, with a system call for each.

#include <stddef.h>

/// Releases free memory, and the loaded pages of the program and its libraries. The system's file cache still has the pages
/// that are needed again.
void resident_memory_release(void);

/// Releases free memory only, even between used memory. Other threads wait if they allocate or free during this time: about 7
/// ms for each 100 MB that are released.
void resident_memory_trim(void);

/// The resident memory that is not in any file, in bytes; 0 if it is unknown.
size_t resident_memory_anonymous(void);
