#ifndef PURSER_CCURL_SHIM_H
#define PURSER_CCURL_SHIM_H

// libcurl's setters and getters are variadic, which Swift does not import: here is one function per
// kind of argument, so that a wrong kind is a compile error. CURLMsg holds a union, so reading one
// is here too. Nothing in this file decides anything.

#include <curl/curl.h>
#include <stddef.h>

// Easy handles

static inline CURLcode purser_easy_set_long(CURL *_Nonnull easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode purser_easy_set_offset(
    CURL *_Nonnull easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

/// libcurl copies the string; NULL takes the option back.
static inline CURLcode purser_easy_set_string(
    CURL *_Nonnull easy, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

/// libcurl keeps the pointer; what it points at must outlive its use.
static inline CURLcode purser_easy_set_pointer(
    CURL *_Nonnull easy, CURLoption option, const void *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}

/// libcurl keeps the list; it must outlive the handle's transfers.
static inline CURLcode purser_easy_set_list(
    CURL *_Nonnull easy, CURLoption option, struct curl_slist *_Nullable list) {
    return curl_easy_setopt(easy, option, list);
}

/// Gives bytes without a copy: they must outlive the handle and every connection it makes.
static inline CURLcode purser_easy_lend_blob(
    CURL *_Nonnull easy, CURLoption option, const void *_Nonnull bytes, size_t length) {
    struct curl_blob blob = {(void *)bytes, length, CURL_BLOB_NOCOPY};
    return curl_easy_setopt(easy, option, &blob);
}

static inline CURLcode purser_easy_set_receiver(
    CURL *_Nonnull easy, CURLoption option, curl_write_callback _Nonnull function) {
    return curl_easy_setopt(easy, option, function);
}

static inline CURLcode purser_easy_set_opensocket(
    CURL *_Nonnull easy, curl_opensocket_callback _Nonnull function) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, function);
}

static inline CURLcode purser_easy_set_closesocket(
    CURL *_Nonnull easy, curl_closesocket_callback _Nonnull function) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, function);
}

static inline CURLcode purser_easy_set_prerequest(
    CURL *_Nonnull easy, curl_prereq_callback _Nonnull function) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

static inline CURLcode purser_easy_set_sender(
    CURL *_Nonnull easy, curl_read_callback _Nonnull function) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, function);
}

static inline CURLcode purser_easy_set_progress(
    CURL *_Nonnull easy, curl_xferinfo_callback _Nonnull function) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, function);
}

/// A number that the handle knows, or 0.
static inline long purser_easy_long(CURL *_Nonnull easy, CURLINFO info) {
    long value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

/// A size or a time in microseconds that the handle knows, or 0.
static inline curl_off_t purser_easy_offset(CURL *_Nonnull easy, CURLINFO info) {
    curl_off_t value = 0;
    return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

/// What CURLOPT_PRIVATE was given.
static inline void *_Nullable purser_easy_private(CURL *_Nonnull easy) {
    char *value = NULL;
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

// Multi handles

static inline CURLMcode purser_multi_set_long(
    CURLM *_Nonnull multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode purser_multi_set_sockets(
    CURLM *_Nonnull multi, curl_socket_callback _Nonnull function, void *_Nonnull data) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, function);
    return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, data) : code;
}

static inline CURLMcode purser_multi_set_timer(
    CURLM *_Nonnull multi, curl_multi_timer_callback _Nonnull function, void *_Nonnull data) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, function);
    return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERDATA, data) : code;
}

/// The next transfer that has ended and how, or NULL when there is none.
static inline CURL *_Nullable purser_multi_next_done(
    CURLM *_Nonnull multi, CURLcode *_Nonnull result) {
    int left = 0;
    struct CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

// Shares

/// Lets the handles of one share use each other's TLS sessions, and nothing else.
static inline CURLSHcode purser_share_tls_sessions(CURLSH *_Nonnull share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

#endif
