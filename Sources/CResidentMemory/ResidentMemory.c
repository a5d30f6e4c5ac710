#define _GNU_SOURCE
#include "CResidentMemory.h"

#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// Before `main`: an asynchronous one runs on a second thread, and for that the C library has made an area by then.
__attribute__((constructor)) static void share_one_area(void) { mallopt(M_ARENA_MAX, 1); }

// Segments that can be written to are left alone: what was written to them exists nowhere else.
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

void resident_memory_trim(void) { malloc_trim(0); }

void resident_memory_release(void) {
    resident_memory_trim();
    dl_iterate_phdr(release_object, NULL);
}
