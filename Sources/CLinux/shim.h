#ifndef PURSER_CLINUX_SHIM_H
#define PURSER_CLINUX_SHIM_H

// What Swift's Glibc module leaves out: Linux-only headers, and variadic calls made typed.

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

/// prctl(PR_SET_DUMPABLE, 0): no core dump, no ptrace by the same user.
static inline int purser_set_not_dumpable(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// prctl(PR_SET_NAME): the calling thread's name, cut to 15 bytes.
static inline int purser_set_thread_name(const char *_Nonnull name) {
    return prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0);
}

/// A unix(7) address: a path, or an abstract name when the first byte is NUL. 0 when it is too long.
static inline socklen_t purser_unix_address(
    struct sockaddr_un *_Nonnull address, const void *_Nonnull name, size_t length) {
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    // A path needs room for its final NUL; an abstract name is measured by the address's length.
    if (length == 0 || length >= sizeof address->sun_path) return 0;
    memcpy(address->sun_path, name, length);
    size_t terminator = ((const char *)name)[0] == 0 ? 0 : 1;
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + terminator);
}

/// bind(2) to a unix(7) address.
static inline int purser_unix_bind(int socket, const void *_Nonnull name, size_t length) {
    struct sockaddr_un address;
    socklen_t size = purser_unix_address(&address, name, length);
    if (size == 0) { errno = ENAMETOOLONG; return -1; }
    return bind(socket, (const struct sockaddr *)&address, size);
}

/// connect(2) to a unix(7) address.
static inline int purser_unix_connect(int socket, const void *_Nonnull name, size_t length) {
    struct sockaddr_un address;
    socklen_t size = purser_unix_address(&address, name, length);
    if (size == 0) { errno = ENAMETOOLONG; return -1; }
    return connect(socket, (const struct sockaddr *)&address, size);
}

/// socket(2), closed on exec: SOCK_CLOEXEC is an enumerator hidden by a macro of its own name.
static inline int purser_socket(int family, int type, int protocol) {
    return socket(family, type | SOCK_CLOEXEC, protocol);
}

/// shutdown(2) of both directions: SHUT_RDWR is an enumerator hidden by a macro of its own name.
static inline int purser_shutdown(int socket) {
    return shutdown(socket, SHUT_RDWR);
}

/// The uid of the process that connected a unix(7) stream (SO_PEERCRED); -1 when it is not known.
static inline int64_t purser_unix_peer_uid(int socket) {
    // struct ucred, which the header hides behind _GNU_SOURCE.
    struct { pid_t pid; uid_t uid; gid_t gid; } peer;
    socklen_t size = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
    return size == sizeof peer ? (int64_t)peer.uid : -1;
}

/// adjtimex(2) asked without a change: whether the kernel's clock is kept in step with others; -1 when
/// it does not say.
static inline int purser_clock_is_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    int answer = adjtimex(&state);
    if (answer < 0) return -1;
    return answer != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
}

/// socket(2) for a stream that does not block and is not inherited. Its flags are an enum of glibc's,
/// which Swift shows or hides by whatever other C module the target has.
static inline int purser_stream_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// The type of a stream socket, as getaddrinfo(3) wants it; see above.
static const int purser_stream = SOCK_STREAM;

/// open(2)'s O_TMPFILE, which fcntl.h shows under _GNU_SOURCE alone: a file without a name.
static const int purser_unnamed_file = __O_TMPFILE;

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

/// accept4(2) without the peer's address: close-on-exec and non-blocking from the first moment, so
/// that a child spawned meanwhile does not hold the connection open.
static inline int purser_accept(int listener) {
    // Declared here because the header shows it under _GNU_SOURCE alone.
    extern int accept4(int, struct sockaddr *, socklen_t *, int);
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/// How many bytes have come on a TCP connection, the end of the stream counting as one; 0 for any
/// other socket. `struct tcp_info` of glibc ends before tcpi_bytes_received, and the kernel's header
/// does not go together with glibc's, so the field is taken by its place in the kernel's interface.
static inline uint64_t purser_tcp_received(int descriptor) {
    unsigned char information[256];
    socklen_t size = sizeof information;
    uint64_t received = 0;
    if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, information, &size) != 0) return 0;
    if (size < 128 + sizeof received) return 0;
    memcpy(&received, information + 128, sizeof received);
    return received;
}

#endif
