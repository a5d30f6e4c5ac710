#define _GNU_SOURCE
#include "CResidentMemory.h"

#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The start of the arena of all threads.
static uintptr_t area_start;

// Before `main`: an asynchronous `main` runs on a second thread, for which the C library has created an arena by then.
__attribute__((constructor)) static void share_one_area(void) {
    mallopt(M_ARENA_MAX, 1);
    area_start = (uintptr_t)sbrk(0);
}

// Skips writable segments, because their content exists nowhere else.
static int release_object(struct dl_phdr_info *object, size_t size, void *context) {
    uintptr_t page_length = (uintptr_t)sysconf(_SC_PAGESIZE);
    (void)size;
    (void)context;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
        uintptr_t start = (object->dlpi_addr + segment->p_vaddr) / page_length * page_length;
        uintptr_t end = object->dlpi_addr + segment->p_vaddr + segment->p_memsz;
        madvise((void *)start, end - start, MADV_DONTNEED);
    }
    return 0;
}

// Bytes. Large pages have this size if small ones have 4 KB; otherwise they are left as they are.
#define LARGE_PAGE_LENGTH ((uintptr_t)2 << 20)
#define SMALL_PAGE_LENGTH ((uintptr_t)4 << 10)
#define SMALL_PAGES ((size_t)(LARGE_PAGE_LENGTH / SMALL_PAGE_LENGTH))

// Whether the C library requests large pages (`GLIBC_TUNABLES=glibc.malloc.hugetlb=1`), from the kernel's flags of the arena.
static bool are_large_pages_wanted(uintptr_t end) {
    FILE *maps = fopen("/proc/self/smaps", "re");
    if (!maps) return false;
    char *line = NULL;
    size_t capacity = 0;
    bool is_of_area = false, are_wanted = false;
    while (!are_wanted && getline(&line, &capacity, maps) > 0) {
        uintptr_t first, last;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &last) == 2) {
            is_of_area = first < end && last > area_start;
        } else if (is_of_area && strncmp(line, "VmFlags:", 8) == 0) {
            are_wanted = strstr(line, " hg") != NULL;
        }
    }
    free(line);
    fclose(maps);
    return are_wanted;
}

// The kernel turns a range with a single used small page into a large page again, some seconds after the other pages
// were released. So no large page is requested for a range that is less than half in use, until more of it is.
static void want_large_pages_where_full(void) {
    uintptr_t end = (uintptr_t)sbrk(0);
    if (sysconf(_SC_PAGESIZE) != SMALL_PAGE_LENGTH || !are_large_pages_wanted(end)) return;
    uintptr_t stretch = (area_start + LARGE_PAGE_LENGTH - 1) / LARGE_PAGE_LENGTH * LARGE_PAGE_LENGTH;
    for (; stretch + LARGE_PAGE_LENGTH <= end; stretch += LARGE_PAGE_LENGTH) {
        unsigned char is_in_use[SMALL_PAGES];
        // It fails for a range that no longer exists: the arena has become shorter.
        if (mincore((void *)stretch, LARGE_PAGE_LENGTH, is_in_use) != 0) continue;
        size_t count = 0;
        for (size_t page = 0; page < SMALL_PAGES; page++) count += is_in_use[page] & 1;
        bool is_sparse = count > 0 && count < SMALL_PAGES / 2;
        madvise((void *)stretch, LARGE_PAGE_LENGTH, is_sparse ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
    }
}

void resident_memory_trim(void) { malloc_trim(0); }

void resident_memory_release(void) {
    malloc_trim(0);
    want_large_pages_where_full();
    dl_iterate_phdr(release_object, NULL);
}

size_t resident_memory_anonymous(void) {
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[128];
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return 0;
    text[length] = 0;
    unsigned long size, resident, shared;
    if (sscanf(text, "%lu %lu %lu", &size, &resident, &shared) != 3 || shared > resident) return 0;
    return (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}
