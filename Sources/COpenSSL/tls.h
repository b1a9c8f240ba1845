#ifndef PURSER_COPENSSL_TLS_H
#define PURSER_COPENSSL_TLS_H

// What Swift does not see of the TLS half of OpenSSL: function-like macros, made typed functions.

#include <openssl/err.h>
#include <openssl/ssl.h>

/// The oldest and newest protocol version; false when OpenSSL refuses them.
static inline int purser_tls_set_versions(SSL_CTX *_Nonnull context, int oldest, int newest) {
    return SSL_CTX_set_min_proto_version(context, oldest)
        && SSL_CTX_set_max_proto_version(context, newest);
}

/// Adds one certificate to the chain that is sent, with a reference of its own.
static inline int purser_tls_add_chain_certificate(
    SSL_CTX *_Nonnull context, X509 *_Nonnull certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

/// Names the server that is wanted (SNI), and has the certificate checked for it; a number is an
/// address, which is checked and not named.
static inline int purser_tls_expect_host(SSL *_Nonnull tls, const char *_Nonnull host) {
    X509_VERIFY_PARAM *parameters = SSL_get0_param(tls);
    if (X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1) return 1;
    ERR_clear_error();
    return SSL_set1_host(tls, host) == 1 && SSL_set_tlsext_host_name(tls, host) == 1;
}

/// Keeps sessions on the server's side, for clients that do not use tickets.
static inline void purser_tls_cache_sessions(SSL_CTX *_Nonnull context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_SERVER);
}

/// No renegotiation; an end without close_notify reads as an end; the server's cipher order.
static inline void purser_tls_set_server_options(SSL_CTX *_Nonnull context) {
    SSL_CTX_set_options(
        context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF
            | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

/// Calls `callback` when the client has named the server it wants.
static inline void purser_tls_set_server_name_callback(
    SSL_CTX *_Nonnull context,
    int (*_Nonnull callback)(SSL *_Nullable, int *_Nullable, void *_Nullable)) {
    SSL_CTX_set_tlsext_servername_callback(context, callback);
}

#endif
