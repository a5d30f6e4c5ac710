// What a daemon holds of the machine's memory beside what it keeps in it. In C, because Swift's Glibc module leaves out
// malloc.h and link.h.

/// To be called first, while there is one thread. The daemon works on two; an area of free memory for each of the others
/// that come and go at the start would only be more to keep.
void resident_memory_prepare(void);

/// Gives free memory back to the system.
void resident_memory_trim(void);

/// Gives back what only the start needed: free memory, and the pages that were read of the program and its libraries.
/// Those that are needed again are still in the system's cache of files.
void resident_memory_release(void);
