#ifndef PURSER_CMICROHTTPD_SHIM_H
#define PURSER_CMICROHTTPD_SHIM_H

// libmicrohttpd, and typed functions for what Swift does not see in its header: the variadic start,
// the union that connection information comes in, and a logger that takes a va_list.

#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/// Everything a daemon of ours is started with; `context` is handed to every callback.
struct purser_mhd_configuration {
    int listen_socket;
    unsigned int connection_limit;
    size_t connection_memory;
    void *_Nonnull context;
    /// Called with the raw request target before the header is read; its result is the request's
    /// pointer in `access` and `completed`.
    void *_Nullable (*_Nonnull request_started)(
        void *_Nullable context, const char *_Nullable target,
        struct MHD_Connection *_Nullable connection);
    MHD_AccessHandlerCallback _Nonnull access;
    MHD_RequestCompletedCallback _Nonnull completed;
    MHD_NotifyConnectionCallback _Nonnull connection_changed;
    /// One line of libmicrohttpd's own log, formatted.
    void (*_Nonnull logged)(void *_Nullable context, const char *_Nonnull line);
};

/// libmicrohttpd's logger: formats a line and hands it on.
static inline void purser_mhd_log(void *context, const char *format, va_list arguments) {
    const struct purser_mhd_configuration *configuration = context;
    char line[512];
    if (vsnprintf(line, sizeof line, format, arguments) < 0) return;
    configuration->logged(configuration->context, line);
}

/// Leaves the request's target and its parameters as they were sent.
static inline size_t purser_mhd_keep_escapes(
    void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

/// Starts a daemon without a thread (epoll): MHD_run must be called when its epoll is readable and
/// when it has resumed a connection. `configuration` must live until it is stopped.
static inline struct MHD_Daemon *_Nullable purser_mhd_start(
    const struct purser_mhd_configuration *_Nonnull configuration) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        configuration->access, configuration->context,
        // First, so that nothing of the start itself is printed.
        MHD_OPTION_EXTERNAL_LOGGER, purser_mhd_log, (void *)configuration,
        MHD_OPTION_LISTEN_SOCKET, configuration->listen_socket,
        MHD_OPTION_CONNECTION_LIMIT, configuration->connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, configuration->connection_memory,
        MHD_OPTION_URI_LOG_CALLBACK, configuration->request_started, configuration->context,
        MHD_OPTION_UNESCAPE_CALLBACK, purser_mhd_keep_escapes, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, configuration->completed, configuration->context,
        MHD_OPTION_NOTIFY_CONNECTION, configuration->connection_changed, configuration->context,
        MHD_OPTION_END);
}

/// The daemon's epoll, -1 when there is none.
static inline int purser_mhd_epoll(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *information =
        MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return information ? information->epoll_fd : -1;
}

/// How many connections the daemon has open.
static inline unsigned int purser_mhd_connections(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *information =
        MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return information ? information->num_connections : 0;
}

/// Whether MHD_run has something to do although nothing is readable.
static inline int purser_mhd_is_due(struct MHD_Daemon *_Nonnull daemon) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    return MHD_get_timeout(daemon, &milliseconds) == MHD_YES && milliseconds == 0;
}

/// The pointer that was left with the connection when it was opened.
static inline void *_Nullable purser_mhd_connection_context(
    struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *information =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return information ? information->socket_context : NULL;
}

/// The connection's descriptor, -1 when there is none.
static inline int purser_mhd_connection_descriptor(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *information =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return information ? information->connect_fd : -1;
}

/// The length of the request line and all header lines, with their line ends and the empty line.
static inline size_t purser_mhd_header_size(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *information =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return information ? information->header_size : 0;
}

/// The client's address, owned by the connection.
static inline const struct sockaddr *_Nullable purser_mhd_client_address(
    struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *information =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return information ? information->client_addr : NULL;
}

#endif
