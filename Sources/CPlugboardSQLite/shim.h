// libsqlite3, and what of it and of the system Swift cannot import by itself.
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

// What of the kernel's struct statx is read here; the C library's own declarations differ.
struct plugboard_statx {
    unsigned int mask;
    unsigned char before[76];
    long long birth_seconds;
    unsigned int birth_nanoseconds;
    unsigned char after[164];
};
// When a file was made, in nanoseconds since 1970; 0 where the file system does not say. Follows no link. The numbers
// are AT_FDCWD, AT_SYMLINK_NOFOLLOW and STATX_BTIME.
static inline long long plugboard_birth_time(const char *path) {
    struct plugboard_statx status;
    if (syscall(SYS_statx, -100, path, 0x100, 0x800, &status) != 0 || !(status.mask & 0x800)) return 0;
    return status.birth_seconds * 1000000000LL + status.birth_nanoseconds;
}

// SQLITE_TRANSIENT is a cast, which Swift does not import: SQLite copies the bytes before the call returns.
static inline int plugboard_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
    return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}
static inline int plugboard_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// Variadic functions are not imported either. SQL cannot write to the schema or to shadow tables.
static inline int plugboard_sqlite3_defend(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
// Closing leaves the write-ahead log as it is, and by its name it may be another file's by then.
static inline int plugboard_sqlite3_leave_log(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
// Whether the name of the open file leads to another file, or to none.
static inline int plugboard_sqlite3_has_moved(sqlite3 *database) {
    int moved = 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved;
}
