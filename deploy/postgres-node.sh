#!/bin/sh
# Start one PostgreSQL node of compose.yaml or of the manifests: NODE is its name, HOSTS all addresses, that of the first primary in front.
# A node without data copies the primary's and follows it. All look for the one that can be written to, so that whoever is promoted is found;
# and a primary that comes back when another was promoted takes that one's state, and follows it.
set -eu
export PGUSER=postgres PGPASSWORD="$POSTGRES_PASSWORD"
configuration=${CONFIGURATION:-/etc/scholarmind}
following="host=$HOSTS user=postgres password=$POSTGRES_PASSWORD dbname=postgres connect_timeout=3 target_session_attrs=read-write"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    case ${HOSTS%%,*} in
    "$NODE" | "$NODE".*) ;; # the image makes the first database
    *)
        until pg_basebackup -d "$following" -D "$PGDATA" --checkpoint=fast --wal-method=stream; do
            sleep 2
        done
        touch "$PGDATA/standby.signal"
        ;;
    esac
elif [ ! -e "$PGDATA/standby.signal" ] && psql -d "$following" -c 'SELECT 1' >/dev/null 2>&1; then
    pg_rewind --target-pgdata="$PGDATA" --source-server="$following" --config-file="$configuration/postgres.conf"
    touch "$PGDATA/standby.signal"
fi
exec docker-entrypoint.sh postgres -c "config_file=$configuration/postgres.conf" -c "hba_file=$configuration/hba.conf" \
    -c "cluster_name=$NODE" -c "primary_conninfo=$following" "$@"
