// libcurl, for HTTP. Swift cannot call functions with variable arguments, so these stand for them.
#ifndef LINKCOND_CCURL_H
#define LINKCOND_CCURL_H

#define CURL_DISABLE_DEPRECATION
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SOL_MPTCP
#define SOL_MPTCP 284
#endif

static inline int lc_curl_prepare(void) {
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

static inline CURLcode lc_curl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode lc_curl_set_size(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, (curl_off_t)value);
}

static inline CURLcode lc_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode lc_curl_set_headers(CURL *easy, struct curl_slist *headers) {
    return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
}

static inline CURLcode lc_curl_set_digest(CURL *easy) {
    return curl_easy_setopt(easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_DIGEST);
}

static inline CURLcode lc_curl_set_error_buffer(CURL *easy, char *buffer) {
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

// All callbacks get the same context.
static inline void lc_curl_set_callbacks(
    CURL *easy, void *context, curl_write_callback head, curl_write_callback body,
    curl_read_callback read, curl_seek_callback seek, curl_xferinfo_callback progress,
    curl_opensocket_callback open_socket, curl_prereq_callback begin) {
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    curl_easy_setopt(easy, CURLOPT_READDATA, context);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
    curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, begin);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

static inline void lc_curl_pause(CURL *easy, int is_paused) {
    curl_easy_pause(easy, is_paused ? CURLPAUSE_ALL : CURLPAUSE_CONT);
}

static inline int64_t lc_curl_size(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

static inline long lc_curl_number(CURL *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}

static inline void lc_curl_limit_connections(CURLM *multi, long per_host) {
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, per_host);
}

// The next exchange that has ended, with its result; NULL if there is none.
static inline CURL *lc_curl_next_ended(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

// An IP address; IPv4 in the low 32 bits of `low`, in host byte order.
struct lc_curl_address {
    uint64_t high, low;
    uint32_t scope;
    int is_ipv6;
};

static inline int lc_curl_read_address(
    const struct sockaddr *from, struct lc_curl_address *address) {
    memset(address, 0, sizeof *address);
    if (from->sa_family == AF_INET) {
        address->low = ntohl(((const struct sockaddr_in *)from)->sin_addr.s_addr);
        return 0;
    }
    if (from->sa_family != AF_INET6) return -1;
    const struct sockaddr_in6 *from6 = (const struct sockaddr_in6 *)from;
    for (int index = 0; index < 8; index++) {
        address->high = address->high << 8 | from6->sin6_addr.s6_addr[index];
        address->low = address->low << 8 | from6->sin6_addr.s6_addr[index + 8];
    }
    address->scope = from6->sin6_scope_id;
    address->is_ipv6 = 1;
    return 0;
}

// The ends of a connection to `remote` as the kernel would route it now. Nothing is sent: connecting
// a UDP socket only chooses the route.
static inline int lc_curl_route(
    const struct curl_sockaddr *remote, struct lc_curl_address *local_end,
    struct lc_curl_address *remote_end) {
    struct sockaddr_storage local;
    socklen_t size = sizeof local;
    if (lc_curl_read_address(&remote->addr, remote_end)) return -1;
    int fd = socket(remote->family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    int status = connect(fd, &remote->addr, remote->addrlen);
    if (!status) status = getsockname(fd, (struct sockaddr *)&local, &size);
    if (!status) status = lc_curl_read_address((struct sockaddr *)&local, local_end);
    close(fd);
    return status;
}

// A TCP socket for an address; of Multipath TCP if `is_multipath` and the kernel has it.
static inline int lc_curl_open_socket(const struct curl_sockaddr *remote, int is_multipath) {
    int type = remote->socktype | SOCK_CLOEXEC;
    if (is_multipath && remote->socktype == SOCK_STREAM) {
        int fd = socket(remote->family, type, IPPROTO_MPTCP);
        if (fd >= 0) return fd;
    }
    return socket(remote->family, type, remote->protocol);
}

// Whether a descriptor is a Multipath TCP connection from a local port that has not fallen back to TCP.
static inline int lc_curl_is_multipath(int fd, int port) {
    enum { mptcp_info = 1 };
    unsigned char info[512];
    struct sockaddr_storage local;
    socklen_t size = sizeof info, local_size = sizeof local;
    if (getsockopt(fd, SOL_MPTCP, mptcp_info, info, &size) != 0) return 0;
    if (getsockname(fd, (struct sockaddr *)&local, &local_size) != 0) return 0;
    // The port is in the same place for both families.
    return ntohs(((struct sockaddr_in *)&local)->sin_port) == port;
}

#endif
