#ifndef PURSER_CLINUX_SHIM_H
#define PURSER_CLINUX_SHIM_H

// What Swift's Glibc module leaves out: Linux-only headers, and variadic calls made typed.

#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>

/// prctl(PR_SET_DUMPABLE, 0): no core dump, no ptrace by the same user.
static inline int purser_set_not_dumpable(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// prctl(PR_SET_NAME): the calling thread's name, cut to 15 bytes.
static inline int purser_set_thread_name(const char *_Nonnull name) {
    return prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0);
}

/// getrandom(2) without flags.
static inline ssize_t purser_getrandom(void *_Nonnull buffer, size_t length) {
    return getrandom(buffer, length, 0);
}

// glibc shows these under _GNU_SOURCE only. Defining that here would make this module's idea of
// shared types (fd_set) differ from other C modules', which the importer refuses.
extern int setresuid(uid_t real, uid_t effective, uid_t saved);
extern int setresgid(gid_t real, gid_t effective, gid_t saved);

/// setresgid(2) and setresuid(2) to one user, with `saved` as the user one may return to.
static inline int purser_become(uid_t user, gid_t group, uid_t saved) {
    if (setresgid(group, group, group) != 0) return -1;
    return setresuid(user, user, saved);
}

#endif
