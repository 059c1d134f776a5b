#!/bin/sh
# Make the database and its owner, once, on a primary that is new. The owner may not do everything, so that rights within a library hold
# for it, too; the extension is made for it. Nobody follows yet whose confirmation could be waited for.
set -eu
export PGOPTIONS="-c synchronous_commit=local"
psql -v ON_ERROR_STOP=1 -v secret="$SCHOLARMIND_PASSWORD" --username postgres <<'SQL'
CREATE ROLE scholarmind LOGIN PASSWORD :'secret';
CREATE DATABASE library OWNER scholarmind;
\connect library
CREATE EXTENSION vector;
SQL
