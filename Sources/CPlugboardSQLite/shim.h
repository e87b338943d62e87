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
// Below SQL, because a damaged file may not let SQL get so far.
static inline sqlite3_file *plugboard_sqlite3_file(sqlite3 *database) {
    sqlite3_file *file = 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods ? file : 0;
}
// Locks the open file against all other connections, of all processes, until it is closed. SQLITE_BUSY if one has it
// open in WAL mode, or works on it.
static inline int plugboard_sqlite3_lock_alone(sqlite3 *database) {
    sqlite3_file *file = plugboard_sqlite3_file(database);
    if (!file) return SQLITE_BUSY;
    int code = file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
    return code == SQLITE_OK ? file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE) : code;
}
// Reads the whole file, without its log. The code of the first read that fails, or SQLITE_OK.
static inline int plugboard_sqlite3_read_all(sqlite3 *database) {
    char bytes[65536];
    sqlite3_int64 size = 0;
    sqlite3_file *file = plugboard_sqlite3_file(database);
    if (!file) return SQLITE_IOERR;
    int code = file->pMethods->xFileSize(file, &size);
    for (sqlite3_int64 start = 0; code == SQLITE_OK && start < size; start += (int)sizeof bytes) {
        int count = size - start < (int)sizeof bytes ? (int)(size - start) : (int)sizeof bytes;
        code = file->pMethods->xRead(file, bytes, count, start);
        // Another process may have cut it.
        if (code == SQLITE_IOERR_SHORT_READ) return SQLITE_OK;
    }
    return code;
}
