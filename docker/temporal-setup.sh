#!/bin/sh
# Prepares a Temporal cluster on PostgreSQL; may be run again at any time, also for a newer version.
#
#   temporal-setup.sh schema      databases and their schemas; needs temporal-sql-tool and SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD
#   temporal-setup.sh namespace   the namespace and its search attributes; needs the temporal CLI and TEMPORAL_ADDRESS
set -eu

: "${SQL_PLUGIN:=postgres12}"
: "${TEMPORAL_NAMESPACE:=default}"
: "${NAMESPACE_RETENTION:=30d}"
: "${WAIT_SECONDS:=120}"
export SQL_PLUGIN TEMPORAL_NAMESPACE

say() { echo "temporal-setup: $*"; }

# Runs a command until it works.
wait_for() {
  what=$1
  shift
  waited=0
  until "$@" >/dev/null 2>&1; do
    if [ "$waited" -ge "$WAIT_SECONDS" ]; then
      say "$what is not there after $WAIT_SECONDS s; the last try said:"
      "$@"
      exit 1
    fi
    sleep 2
    waited=$((waited + 2))
  done
}

# Brings one database to the newest schema that the tool carries.
prepare_database() {
  database=$1
  schema=$2
  wait_for "PostgreSQL at ${SQL_HOST}:${SQL_PORT:-5432}" temporal-sql-tool --db "$database" create-database
  if said=$(temporal-sql-tool --db "$database" update-schema --schema-name "$schema" 2>&1); then
    say "$database is up to date"
    return
  fi
  # Only a database without any schema is begun anew: beginning would set an existing one back to version 0.
  case "$said" in
    *schema_version*"does not exist"*) ;;
    *)
      echo "$said"
      say "$database cannot be updated"
      exit 1
      ;;
  esac
  temporal-sql-tool --db "$database" setup-schema -v 0.0
  temporal-sql-tool --db "$database" update-schema --schema-name "$schema"
  say "$database has its schema"
}

prepare_schema() {
  prepare_database temporal postgresql/v12/temporal
  prepare_database temporal_visibility postgresql/v12/visibility
}

prepare_namespace() {
  wait_for "Temporal at ${TEMPORAL_ADDRESS}" temporal operator cluster health
  if ! temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
    temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"
  fi
  wait_for "The namespace $TEMPORAL_NAMESPACE" temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE"
  for name in DrawbridgeShare DrawbridgeProject DrawbridgeJob; do
    if ! temporal operator search-attribute list --namespace "$TEMPORAL_NAMESPACE" | grep -qw "$name"; then
      temporal operator search-attribute create --namespace "$TEMPORAL_NAMESPACE" --name "$name" --type Keyword
    fi
  done
  say "namespace $TEMPORAL_NAMESPACE is ready"
}

case "${1:-}" in
  schema) prepare_schema ;;
  namespace) prepare_namespace ;;
  *)
    say "expected \"schema\" or \"namespace\""
    exit 2
    ;;
esac
