#ifndef PURSER_CSQLITE_SHIM_H
#define PURSER_CSQLITE_SHIM_H

#include <sqlite3.h>

#endif
