// Answers requests of HTTP and then closes, and every other byte with the same byte: a server that is
// faster than what is measured, without a configuration. usage: server PORT
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static const char answer[] = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok";

static void serve(int fd) {
    char bytes[4096];
    ssize_t count = recv(fd, bytes, sizeof bytes, 0);
    if (count < 0 && errno == EAGAIN) return;
    int is_web = count > 4 && !memcmp(bytes, "GET ", 4);
    if (is_web) send(fd, answer, sizeof answer - 1, MSG_NOSIGNAL);
    else if (count > 0) send(fd, bytes, (size_t)count, MSG_NOSIGNAL);
    if (is_web || count <= 0) close(fd);
}

int main(int count, char **words) {
    if (count != 2) return 64;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    int listener = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)atoi(words[1]))};
    if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, SOMAXCONN)) {
        perror("server");
        return 1;
    }
    int queue = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[256];
    epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int found = epoll_wait(queue, events, 256, -1);
        for (int i = 0; i < found; i++) {
            if (events[i].data.fd != listener) {
                serve(events[i].data.fd);
                continue;
            }
            int client;
            while ((client = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                event = (struct epoll_event){.events = EPOLLIN, .data.fd = client};
                epoll_ctl(queue, EPOLL_CTL_ADD, client, &event);
            }
        }
    }
}
