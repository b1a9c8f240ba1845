#ifndef PURSER_CSQLITE_SHIM_H
#define PURSER_CSQLITE_SHIM_H

// SQLite, and what Swift does not see in its header: variadic calls made typed, SQLITE_TRANSIENT.

#include <sqlite3.h>

// Extended codes are macros with arithmetic in them, which Swift does not import.
static const int purser_sqlite_constraint_check = SQLITE_CONSTRAINT_CHECK;
static const int purser_sqlite_constraint_datatype = SQLITE_CONSTRAINT_DATATYPE;
static const int purser_sqlite_constraint_foreign_key = SQLITE_CONSTRAINT_FOREIGNKEY;
static const int purser_sqlite_constraint_not_null = SQLITE_CONSTRAINT_NOTNULL;
static const int purser_sqlite_constraint_primary_key = SQLITE_CONSTRAINT_PRIMARYKEY;
static const int purser_sqlite_constraint_row_id = SQLITE_CONSTRAINT_ROWID;
static const int purser_sqlite_constraint_trigger = SQLITE_CONSTRAINT_TRIGGER;
static const int purser_sqlite_constraint_unique = SQLITE_CONSTRAINT_UNIQUE;

/// sqlite3_db_config for the options that are a flag. `now` receives the value in force.
static inline int purser_sqlite_set_flag(
    sqlite3 *_Nonnull db, int option, int on, int *_Nonnull now) {
    return sqlite3_db_config(db, option, on, now);
}

/// sqlite3_bind_text64 with a copy of `length` bytes of UTF-8, NUL bytes included.
static inline int purser_sqlite_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 length) {
    // NULL would bind SQL's NULL; an empty Swift buffer may have no address.
    return sqlite3_bind_text64(
        statement, index, length == 0 ? "" : (const char *)bytes, length, SQLITE_TRANSIENT,
        SQLITE_UTF8);
}

/// sqlite3_bind_blob64 with a copy of `length` bytes.
static inline int purser_sqlite_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(
        statement, index, length == 0 ? "" : bytes, length, SQLITE_TRANSIENT);
}

#endif
