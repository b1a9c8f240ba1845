// Loaded before everything else (LD_PRELOAD): counts the calls by which a program changes the file
// system, in all threads together, and ends the program as `kill -9` would at the one it is told.
//
//   CRASH_POINT=N            die when the Nth call begins; half of a write is carried out first
//   CRASH_POINT_EVERY=1      count each write of a run of writes to one file, not only the first
//   CRASH_POINT_STOP=1       stop (SIGSTOP) at the Nth call instead, and carry it out when told to
//                            go on
//   CRASH_POINT_LOG=FILE     append a line for each call counted: its name, its path or both paths
//   CRASH_POINT_NO_TMPFILE=1 pretend that the file system knows no unnamed files
//
// So a test can let a command die at every boundary there is, where random instants mostly hit the
// making of a key. What goes to the standard streams counts too: "before it was told" is a boundary.
// SQLite's shared memory does not count: it is made anew after a crash.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;
static atomic_int last_written = -1;
static long fatal;
static int every, stops, no_unnamed_files;
static int journal = -1;

__attribute__((constructor)) static void begin(void) {
    const char *point = getenv("CRASH_POINT");
    const char *path = getenv("CRASH_POINT_LOG");
    fatal = point ? atol(point) : 0;
    every = getenv("CRASH_POINT_EVERY") != NULL;
    stops = getenv("CRASH_POINT_STOP") != NULL;
    no_unnamed_files = getenv("CRASH_POINT_NO_TMPFILE") != NULL;
    if (path) {
        journal = (int)syscall(
            SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
}

/// Dies, or stops until somebody sends SIGCONT. Sent to this thread, so that it goes no further.
static void crash(void) {
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), stops ? SIGSTOP : SIGKILL);
}

static void note(const char *name, const char *path, const char *other) {
    if (journal < 0) return;
    char line[8192];
    int length = snprintf(
        line, sizeof line, "%s %s%s%s\n", name, path, other ? " " : "", other ? other : "");
    if (length > 0) syscall(SYS_write, journal, line, (size_t)length);
}

/// The path of an open file; empty for what has none.
static void path_of(int descriptor, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, size - 1);
    path[length > 0 ? length : 0] = 0;
}

/// Counts a call; true when it is the fatal one.
static int count(void) {
    return atomic_fetch_add(&calls, 1) + 1 == fatal;
}

/// Counts a call on an open file, unless it is none that matters.
static int count_on(const char *name, int descriptor) {
    char path[4096];
    path_of(descriptor, path, sizeof path);
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, "-shm") == 0) return 0;
    int is_write = strcmp(name, "write") == 0;
    int before = atomic_exchange(&last_written, is_write ? descriptor : -1);
    if (is_write && before == descriptor && !every) return 0;
    note(name, path, NULL);
    return count();
}

/// Whether a write to it can be seen by anybody later; eventfd(2) and the like are not.
static int matters(int descriptor) {
    struct stat status;
    if (descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO) return 1;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// MARK: - Contents

ssize_t write(int descriptor, const void *bytes, size_t length) {
    if (matters(descriptor) && count_on("write", descriptor)) {
        if (!stops) NEXT(write)(descriptor, bytes, length / 2);
        crash();
    }
    return NEXT(write)(descriptor, bytes, length);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
    if (count_on("write", descriptor)) {
        if (!stops) NEXT(pwrite64)(descriptor, bytes, length / 2, offset);
        crash();
    }
    return NEXT(pwrite64)(descriptor, bytes, length, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
    return pwrite64(descriptor, bytes, length, offset);
}

#define ON_DESCRIPTOR(name, parameters, arguments) \
    int name parameters { \
        if (count_on(#name, descriptor)) crash(); \
        return NEXT(name) arguments; \
    }

ON_DESCRIPTOR(fsync, (int descriptor), (descriptor))
ON_DESCRIPTOR(fdatasync, (int descriptor), (descriptor))
ON_DESCRIPTOR(ftruncate, (int descriptor, off_t length), (descriptor, length))
ON_DESCRIPTOR(ftruncate64, (int descriptor, off64_t length), (descriptor, length))
ON_DESCRIPTOR(fchmod, (int descriptor, mode_t mode), (descriptor, mode))

// MARK: - Names

#define ON_PATH(name, parameters, arguments) \
    int name parameters { \
        note(#name, path, NULL); \
        if (count()) crash(); \
        return NEXT(name) arguments; \
    }

ON_PATH(unlink, (const char *path), (path))
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode))
ON_PATH(chmod, (const char *path, mode_t mode), (path, mode))

#define ON_TWO_PATHS(name, parameters, arguments) \
    int name parameters { \
        note(#name, from, to); \
        if (count()) crash(); \
        return NEXT(name) arguments; \
    }

ON_TWO_PATHS(rename, (const char *from, const char *to), (from, to))
ON_TWO_PATHS(link, (const char *from, const char *to), (from, to))
ON_TWO_PATHS(
    linkat, (int start, const char *from, int end, const char *to, int flags),
    (start, from, end, to, flags))
ON_TWO_PATHS(
    renameat2, (int start, const char *from, int end, const char *to, unsigned flags),
    (start, from, end, to, flags))

/// Opening counts where it may make a file; then the mode is read.
static mode_t creation(int flags, va_list rest, const char *path) {
    if (!(flags & O_CREAT) && (flags & O_TMPFILE) != O_TMPFILE) return 0;
    mode_t mode = va_arg(rest, mode_t);
    note("create", path, NULL);
    if (count()) crash();
    return mode;
}

#define OPENING(name) \
    int name(const char *path, int flags, ...) { \
        if (no_unnamed_files && (flags & O_TMPFILE) == O_TMPFILE) { \
            errno = EOPNOTSUPP; \
            return -1; \
        } \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = creation(flags, rest, path); \
        va_end(rest); \
        return NEXT(name)(path, flags, mode); \
    }

OPENING(open)
OPENING(open64)
