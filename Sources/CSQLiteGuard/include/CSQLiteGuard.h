// Functions of SQLite that Swift cannot call (they have `...`), and a way for SQLite to open only regular files.

#pragma once

#include <stdbool.h>

struct sqlite3;

/// Opens a regular file or a directory, and nothing else: it does not wait for the writer of a FIFO, and does not affect a
/// device. With O_NOFOLLOW, no part of an absolute path may be a symbolic link. Returns a descriptor, or -1 with the reason in
/// `errno`: ENXIO for another kind of file.
int open_regular_file(const char *path, int flags, int mode);

/// Makes SQLite open files with `open_regular_file`, and prepares `sqlite_guard_begin`, in the whole process. Call it once.
void sqlite_guard_process(void);

/// Begins to read a database on this thread. SQLite maps the index of its log into memory. If another process truncates it,
/// this thread reads zeros until `sqlite_guard_end`, and the process does not end (SIGBUS).
void sqlite_guard_begin(void);

/// Returns whether a file was truncated since `sqlite_guard_begin`.
bool sqlite_guard_end(void);

/// Protects this program from a connection's database: SQL cannot switch off defences, and the database's schema cannot call
/// functions with side effects.
void sqlite_guard_connection(struct sqlite3 *connection);
