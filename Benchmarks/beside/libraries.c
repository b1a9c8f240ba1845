// A bare proxy on libmicrohttpd and libcurl: one thread, one epoll, the options that purser sets, and
// nothing in between. What the libraries cost by themselves, whoever calls them.
//   libraries PORT URL CERTIFICATE KEY CA
#include <arpa/inet.h>
#include <curl/curl.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { LIVE = 64, SIZE = 65536 };

struct transfer {
    CURL *easy;
    struct MHD_Connection *connection;
    char body[1024], answer[SIZE];
    size_t sent, received;
    long status; // 0 until the gateway has answered or failed
    struct transfer *next;
};

static struct transfer *spare;
static CURLM *multi;
static struct curl_slist *headers;
static const char *url, *certificate, *key, *authority;
static int poller, due = 1;
static long long alarm_at = -1;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static size_t came(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    if (transfer->received + size * count > SIZE)
        return 0;
    memcpy(transfer->answer + transfer->received, bytes, size * count);
    transfer->received += size * count;
    return size * count;
}

static struct transfer *take(void) {
    struct transfer *transfer = spare;
    if (transfer != NULL) {
        spare = transfer->next;
    } else {
        transfer = malloc(sizeof *transfer);
        CURL *easy = transfer->easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_SSLCERT, certificate);
        curl_easy_setopt(easy, CURLOPT_SSLKEY, key);
        curl_easy_setopt(easy, CURLOPT_CAINFO, authority);
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, came);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
        curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, transfer->body);
    }
    transfer->sent = transfer->received = 0;
    transfer->status = 0;
    return transfer;
}

static void give_back(void *context, struct MHD_Connection *connection, void **request,
                      enum MHD_RequestTerminationCode code) {
    (void)context, (void)connection, (void)code;
    struct transfer *transfer = *request;
    if (transfer == NULL)
        return;
    transfer->next = spare;
    spare = transfer;
}

static enum MHD_Result asked(void *context, struct MHD_Connection *connection, const char *path,
                             const char *method, const char *version, const char *bytes,
                             size_t *count, void **request) {
    (void)context, (void)path, (void)method, (void)version;
    struct transfer *transfer = *request;
    if (transfer == NULL) {
        *request = take();
        return MHD_YES;
    }
    if (*count > 0) {
        if (transfer->sent + *count > sizeof transfer->body)
            return MHD_NO;
        memcpy(transfer->body + transfer->sent, bytes, *count);
        transfer->sent += *count;
        *count = 0;
        return MHD_YES;
    }
    if (transfer->status == 0) {
        transfer->connection = connection;
        curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE, (long)transfer->sent);
        MHD_suspend_connection(connection);
        curl_multi_add_handle(multi, transfer->easy);
        return MHD_YES;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(
        transfer->received, transfer->answer, MHD_RESPMEM_PERSISTENT);
    MHD_add_response_header(response, "Content-Type", "application/json");
    enum MHD_Result result = MHD_queue_response(connection, transfer->status, response);
    MHD_destroy_response(response);
    return result;
}

static int socket_changed(CURL *easy, curl_socket_t socket, int wish, void *context, void *known) {
    (void)easy, (void)context;
    // Left in the epoll while nothing is wanted of it, as purser does.
    if (wish == CURL_POLL_REMOVE)
        return 0;
    struct epoll_event event = {.events = 0, .data.fd = socket};
    if (wish & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (wish & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    static unsigned wishes[65536];
    if (wishes[socket] == event.events && known != NULL)
        return 0;
    if (epoll_ctl(poller, EPOLL_CTL_MOD, socket, &event) != 0)
        epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
    wishes[socket] = event.events;
    curl_multi_assign(multi, socket, &wishes);
    return 0;
}

static int timer_changed(CURLM *of, long milliseconds, void *context) {
    (void)of, (void)context;
    alarm_at = milliseconds < 0 ? -1 : now() + milliseconds;
    return 0;
}

static void harvest(void) {
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left)) != NULL;) {
        struct transfer *transfer;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &transfer->status);
        // What fails must be seen to fail.
        if (message->data.result != CURLE_OK || transfer->status == 0) {
            fprintf(stderr, "%s\n", curl_easy_strerror(message->data.result));
            transfer->status = MHD_HTTP_BAD_GATEWAY;
        }
        curl_multi_remove_handle(multi, transfer->easy);
        MHD_resume_connection(transfer->connection);
        due = 1;
    }
}

int main(int count, char **words) {
    if (count != 6)
        return 64;
    url = words[2], certificate = words[3], key = words[4], authority = words[5];
    curl_global_init(CURL_GLOBAL_DEFAULT);
    headers = curl_slist_append(curl_slist_append(NULL, "Content-Type: application/json"), "Expect:");
    multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer_changed);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)LIVE * 8);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, asked, NULL, MHD_OPTION_SOCK_ADDR,
        &address, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)8192, MHD_OPTION_NOTIFY_COMPLETED,
        give_back, NULL, MHD_OPTION_END);
    if (daemon == NULL)
        return 1;
    poller = epoll_create1(EPOLL_CLOEXEC);
    int server = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = server};
    epoll_ctl(poller, EPOLL_CTL_ADD, server, &event);
    for (int running;;) {
        if (due) {
            due = 0;
            MHD_run(daemon);
            MHD_UNSIGNED_LONG_LONG pause;
            if (MHD_get_timeout(daemon, &pause) == MHD_YES && pause == 0)
                due = 1;
        }
        if (alarm_at >= 0 && alarm_at <= now()) {
            alarm_at = -1;
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
            harvest();
        }
        struct epoll_event events[256];
        int pause = due ? 0 : alarm_at < 0 ? -1 : (int)(alarm_at > now() ? alarm_at - now() : 0);
        int ready = epoll_wait(poller, events, 256, pause);
        for (int index = 0; index < ready; index++) {
            if (events[index].data.fd == server) {
                due = 1;
                continue;
            }
            int what = (events[index].events & EPOLLIN ? CURL_CSELECT_IN : 0)
                | (events[index].events & EPOLLOUT ? CURL_CSELECT_OUT : 0)
                | (events[index].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
            curl_multi_socket_action(multi, events[index].data.fd, what, &running);
        }
        harvest();
    }
}
