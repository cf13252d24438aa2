// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/storage/schema.h"

namespace mantissa {

namespace {

constexpr const char* kVersion1 = R"sql(
CREATE TABLE machine (
    id            INTEGER PRIMARY KEY,
    name          TEXT    NOT NULL UNIQUE,
    first_seen_ms INTEGER NOT NULL,
    facts         TEXT    NOT NULL
);
CREATE TABLE capability (
    id          INTEGER PRIMARY KEY,
    machine_id  INTEGER NOT NULL REFERENCES machine(id) ON DELETE CASCADE,
    device      TEXT    NOT NULL,
    format      TEXT    NOT NULL,
    class       TEXT    NOT NULL,
    factor      REAL,
    measured_ms INTEGER NOT NULL,
    data        TEXT    NOT NULL,
    UNIQUE (machine_id, device, format)
);
CREATE TABLE comparison (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    experiment  TEXT    NOT NULL,
    description TEXT    NOT NULL,
    created_ms  INTEGER NOT NULL,
    config      TEXT    NOT NULL
);
CREATE TABLE run (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    comparison_id   INTEGER NOT NULL REFERENCES comparison(id) ON DELETE CASCADE,
    plan_index      INTEGER NOT NULL,
    variant         TEXT    NOT NULL,
    variant_index   INTEGER NOT NULL,
    precision       TEXT    NOT NULL,
    repetition      INTEGER NOT NULL,
    seed            INTEGER NOT NULL,
    state           TEXT    NOT NULL,
    reason          TEXT    NOT NULL DEFAULT '',
    created_ms      INTEGER NOT NULL,
    started_ms      INTEGER NOT NULL DEFAULT 0,
    ended_ms        INTEGER NOT NULL DEFAULT 0,
    heartbeat_ms    INTEGER NOT NULL,
    steps_attempted INTEGER NOT NULL DEFAULT 0,
    steps_applied   INTEGER NOT NULL DEFAULT 0,
    steps_skipped   INTEGER NOT NULL DEFAULT 0,
    samples_lost    INTEGER NOT NULL DEFAULT 0,
    config          TEXT    NOT NULL,
    environment     TEXT    NOT NULL DEFAULT '{}',
    summary         TEXT    NOT NULL DEFAULT '{}',
    note            TEXT    NOT NULL DEFAULT '',
    tags            TEXT    NOT NULL DEFAULT '[]',
    archived        INTEGER NOT NULL DEFAULT 0,
    rank            INTEGER NOT NULL DEFAULT 0,
    world_size      INTEGER NOT NULL DEFAULT 1,
    machine_id      INTEGER REFERENCES machine(id),
    host_pid        INTEGER NOT NULL,
    host_start      INTEGER NOT NULL,
    host_boot_id    TEXT    NOT NULL,
    host_namespace  TEXT    NOT NULL,
    host_name       TEXT    NOT NULL,
    UNIQUE (comparison_id, plan_index, rank)
);
CREATE INDEX run_by_state ON run(state);
CREATE TABLE series (
    id     INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    name   TEXT    NOT NULL,
    unit   TEXT    NOT NULL,
    axis   TEXT    NOT NULL CHECK (axis IN ('step', 'time')),
    UNIQUE (run_id, name)
);
CREATE TABLE chunk (
    series_id  INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
    number     INTEGER NOT NULL,
    first_x    REAL    NOT NULL,
    count      INTEGER NOT NULL,
    min        REAL,
    max        REAL,
    non_finite INTEGER NOT NULL,
    x          BLOB,
    y          BLOB    NOT NULL,
    PRIMARY KEY (series_id, number)
);
CREATE TABLE event (
    id      INTEGER PRIMARY KEY,
    run_id  INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    step    INTEGER,
    time_s  REAL,
    kind    TEXT    NOT NULL,
    message TEXT    NOT NULL,
    data    TEXT    NOT NULL
);
CREATE INDEX event_by_run ON event(run_id);
CREATE TABLE artifact (
    id         INTEGER PRIMARY KEY,
    run_id     INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    path       TEXT    NOT NULL,
    created_ms INTEGER NOT NULL
);
CREATE INDEX artifact_by_run ON artifact(run_id);
)sql";

constexpr const char* kVersion2 = R"sql(
CREATE TABLE capability_check (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    machine_id  INTEGER NOT NULL REFERENCES machine(id) ON DELETE CASCADE,
    device      TEXT    NOT NULL,
    measured_ms INTEGER NOT NULL,
    quick       INTEGER NOT NULL,
    card        TEXT    NOT NULL
);
CREATE TABLE prediction (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    machine_id  INTEGER NOT NULL REFERENCES machine(id) ON DELETE CASCADE,
    device      TEXT    NOT NULL,
    experiment  TEXT    NOT NULL,
    measured_ms INTEGER NOT NULL,
    data        TEXT    NOT NULL
);
)sql";

constexpr Migration kMigrations[] = {
    {1, "first version", kVersion1},
    {2, "hardware checks and what they predict of a model", kVersion2},
};

} // namespace

std::span<const Migration> storeMigrations()
{
    return kMigrations;
}

} // namespace mantissa
