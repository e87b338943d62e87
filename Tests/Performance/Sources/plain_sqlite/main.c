// Plain inserts into SQLite, beside which the rates of the plugin `queue` are read.
//
//     plain_sqlite FILE COUNT BATCH      microseconds for each row, BATCH rows a transaction
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(sqlite3 *database, int code) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "%s\n", sqlite3_errmsg(database));
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int main(int count, char **words) {
    if (count != 4) return 2;
    int rows = atoi(words[2]), batch = atoi(words[3]);
    sqlite3 *database = NULL;
    check(database, sqlite3_open(words[1], &database));
    check(database, sqlite3_exec(database,
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE request (sequence INTEGER PRIMARY KEY, id TEXT UNIQUE, url TEXT, head TEXT, body BLOB)",
        NULL, NULL, NULL));
    sqlite3_stmt *insert = NULL;
    check(database, sqlite3_prepare_v2(database,
        "INSERT INTO request (id, url, head, body) VALUES (?, ?, ?, ?)", -1, &insert, NULL));
    char head[200], body[200];
    memset(head, 'h', sizeof head);
    memset(body, 'b', sizeof body);
    double start = now();
    for (int row = 0; row < rows; row++) {
        char id[40];
        snprintf(id, sizeof id, "00000000-0000-0000-0000-%012d", row);
        if (row % batch == 0) check(database, sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL));
        sqlite3_bind_text(insert, 1, id, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(insert, 2, "http://origin.test/entries", -1, SQLITE_STATIC);
        sqlite3_bind_text(insert, 3, head, sizeof head, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 4, body, sizeof body, SQLITE_STATIC);
        check(database, sqlite3_step(insert));
        sqlite3_reset(insert);
        if (row % batch == batch - 1) check(database, sqlite3_exec(database, "COMMIT", NULL, NULL, NULL));
    }
    if (!sqlite3_get_autocommit(database)) check(database, sqlite3_exec(database, "COMMIT", NULL, NULL, NULL));
    printf("| plain SQLite, %d rows a transaction | %.1f | | |\n", batch, (now() - start) / rows);
    sqlite3_finalize(insert);
    return sqlite3_close(database);
}
