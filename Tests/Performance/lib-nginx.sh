# Functions for bash scripts that measure; to be sourced.
#
#     . ./lib-nginx.sh
#     start_nginx 0            # on core 0, or on any core without a number
#     plain "$NGINX/100"       # 100 bytes
#     tuned "$NGINX/1g" --download
#
#     start_nginx_with_tls 0   # also on $NGINX_TLS, where each response ends its connection, and on $NGINX_HTTP2;
#                              # $NGINX_CA is the file with their certificate
#
# nginx ends, and its folder goes, when the script that sourced this ends (by a trap on EXIT).

NGINX_SOURCE=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")" && pwd)

# Starts nginx with one worker and sets NGINX to its URL.
start_nginx() {
    local core=${1:-} program port try
    NGINX_PROCESS=
    program=$(PATH=$PATH:/usr/sbin command -v nginx) || { echo "nginx is not installed" >&2; return 1; }
    NGINX_FOLDER=$(mktemp -d "${TMPDIR:-/tmp}/plugboard-performance-XXXXXX") || return 1
    trap stop_nginx EXIT
    mkdir "$NGINX_FOLDER/files"
    head -c 100 /dev/zero | tr '\0' 'x' > "$NGINX_FOLDER/files/100"
    mkdir "$NGINX_FOLDER/files/fresh"
    head -c 1024 /dev/urandom > "$NGINX_FOLDER/files/fresh/1k"
    head -c 1048576 /dev/urandom > "$NGINX_FOLDER/files/fresh/1m"
    mkdir "$NGINX_FOLDER/files/slow"
    head -c 64M /dev/urandom > "$NGINX_FOLDER/files/slow/64m"
    truncate -s 1G "$NGINX_FOLDER/files/1g"
    cat "$NGINX_FOLDER/files/1g" > /dev/null  # into the page cache, or the first download would measure the disk
    # A worker started by root runs as nobody, who must reach the files.
    chmod -R a+rX "$NGINX_FOLDER"
    if [ -n "${NGINX_WITH_TLS:-}" ]; then make_certificate || return 1; fi
    for try in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 10000))
        [ -z "${NGINX_WITH_TLS:-}" ] || sed -e "s|FOLDER|$NGINX_FOLDER|g" -e "s|PORT2|$((port + 2))|g" \
            -e "s|PORT1|$((port + 1))|g" "$NGINX_SOURCE/nginx-tls.conf" > "$NGINX_FOLDER/tls.conf"
        sed -e "s|FOLDER|$NGINX_FOLDER|g" -e "s|PORT|$port|g" "$NGINX_SOURCE/nginx.conf" > "$NGINX_FOLDER/nginx.conf"
        ${core:+taskset -c "$core"} "$program" -e "$NGINX_FOLDER/error.log" -c "$NGINX_FOLDER/nginx.conf" 2> /dev/null &
        NGINX_PROCESS=$!
        # The file with its number is there once the port is bound.
        while kill -0 "$NGINX_PROCESS" 2> /dev/null; do
            if [ -s "$NGINX_FOLDER/nginx.pid" ]; then
                NGINX="http://127.0.0.1:$port"
                NGINX_TLS="https://127.0.0.1:$((port + 1))" NGINX_HTTP2="https://127.0.0.1:$((port + 2))"
                return 0
            fi
            sleep 0.02
        done
    done
    cat "$NGINX_FOLDER/error.log" >&2
    return 1
}

start_nginx_with_tls() {
    NGINX_WITH_TLS=yes
    start_nginx "$@"
}

make_certificate() {
    NGINX_CA=$NGINX_FOLDER/certificate.pem
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=127.0.0.1 \
        -addext subjectAltName=IP:127.0.0.1 -keyout "$NGINX_FOLDER/key.pem" -out "$NGINX_CA" 2> /dev/null ||
        { echo "openssl cannot make a certificate" >&2; return 1; }
}

# The number of connections that nginx has accepted, with this function's own.
nginx_connections() { curl -s "$NGINX/status" | awk 'NR == 3 { print $1 }'; }

stop_nginx() {
    [ -z "$NGINX_PROCESS" ] || { kill -TERM "$NGINX_PROCESS" 2> /dev/null && wait "$NGINX_PROCESS"; }
    rm -rf "$NGINX_FOLDER"
}
