#!/bin/sh
# Make the database and its owner, once, on a primary that is new. The owner may not do everything, so that rights within a library hold
# for it, too; the extension is made for it.
set -eu
psql -v ON_ERROR_STOP=1 -v secret="$SCHOLARMIND_PASSWORD" --username postgres <<'SQL'
SET synchronous_commit = local; -- nobody follows yet
CREATE ROLE scholarmind LOGIN PASSWORD :'secret';
CREATE DATABASE library OWNER scholarmind;
\connect library
CREATE EXTENSION vector;
SQL
