// A queue of plain SQL by libpq, beside which the rates of the plugin `queue` on PostgreSQL are read.
//
//     plain_postgresql URL COUNT      microseconds for each request: added one by one, 100 at once, claimed and settled
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static PGconn *connection;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static PGresult *checked(PGresult *result) {
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC) return result;
    fprintf(stderr, "%s", PQerrorMessage(connection));
    exit(1);
}

static const char *insert =
    "INSERT INTO plain (id, state, priority, method, url, head, created, due, body) "
    "VALUES ($1, 1, 0, 'POST', 'http://a.test/x', $2, clock_timestamp(), clock_timestamp(), $3)";

static const char **values(int row) {
    static char id[40], head[200], body[200];
    static const char *all[] = {id, head, body};
    snprintf(id, sizeof id, "00000000-0000-0000-0000-%012d", row);
    memset(head, 'h', sizeof head - 1);
    memset(body, 'b', sizeof body - 1);
    return all;
}

int main(int count, char **words) {
    if (count != 3) return 2;
    int rows = atoi(words[2]), row = 0;
    connection = PQconnectdb(words[1]);
    PQclear(checked(PQexec(connection,
        "SET client_min_messages = error; DROP TABLE IF EXISTS plain;"
        "CREATE TABLE plain (sequence bigserial PRIMARY KEY, id text NOT NULL UNIQUE, state integer NOT NULL,"
        "    priority integer NOT NULL, method text NOT NULL, url text NOT NULL, head text NOT NULL,"
        "    created timestamptz NOT NULL, due timestamptz NOT NULL, owner text, lease timestamptz, body bytea);"
        "CREATE INDEX ON plain (priority DESC, sequence) WHERE state = 1")));

    double start = now();
    for (; row < rows; row++) PQclear(checked(PQexecParams(connection, insert, 3, NULL, values(row), NULL, NULL, 0)));
    printf("one by one          %8.1f\n", (now() - start) / rows);

    start = now();
    for (; row < 3 * rows;) {
        PQenterPipelineMode(connection);
        for (int one = 0; one < 100; one++, row++)
            if (!PQsendQueryParams(connection, insert, 3, NULL, values(row), NULL, NULL, 0)) return 1;
        PQpipelineSync(connection);
        for (int one = 0; one < 100; one++) {
            PQclear(checked(PQgetResult(connection)));
            PQgetResult(connection);
        }
        PQclear(checked(PQgetResult(connection)));
        PQexitPipelineMode(connection);
    }
    printf("100 at once         %8.1f\n", (now() - start) / (2 * rows));

    start = now();
    for (int one = 0; one < rows; one++) {
        PGresult *claimed = checked(PQexec(connection,
            "UPDATE plain SET state = 3, owner = 'me', lease = clock_timestamp() + interval '30 s' WHERE sequence = ("
            "SELECT sequence FROM plain WHERE state = 1 AND due <= clock_timestamp() ORDER BY priority DESC, sequence "
            "LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING sequence, method, url, head, body"));
        const char *sequence[] = {PQgetvalue(claimed, 0, 0)};
        PQclear(checked(PQexecParams(connection,
            "UPDATE plain SET state = 4, owner = NULL, lease = NULL WHERE sequence = $1 AND owner = 'me' AND state = 3",
            1, NULL, sequence, NULL, NULL, 0)));
        PQclear(claimed);
    }
    printf("sent and settled    %8.1f\n", (now() - start) / rows);
    PQfinish(connection);
    return 0;
}
