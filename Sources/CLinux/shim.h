#ifndef PURSER_CLINUX_SHIM_H
#define PURSER_CLINUX_SHIM_H

// What Swift's Glibc module leaves out: Linux-only headers, and variadic calls made typed.

#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
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

/// accept4(2) without the peer's address: close-on-exec and non-blocking from the first moment, so
/// that a child spawned meanwhile does not hold the connection open.
static inline int purser_accept(int listener) {
    // Declared here because the header shows it under _GNU_SOURCE alone.
    extern int accept4(int, struct sockaddr *, socklen_t *, int);
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

#endif
