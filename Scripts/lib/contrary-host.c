// Gives every new network namespace other values than those inherited from the machine's first one.
// For LD_PRELOAD: on a host with these values the kernel does the same in unshare(2).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

static const char *const values[][2] = {
    {"ipv4/ip_forward", "1"},
    {"ipv4/conf/all/rp_filter", "1"},
    {"ipv4/conf/default/rp_filter", "1"},
    {"ipv4/conf/lo/rp_filter", "1"},
    {"ipv6/conf/all/disable_ipv6", "1"},
    {"ipv6/conf/default/disable_ipv6", "1"},
    {"ipv4/tcp_congestion_control", "reno"},
    {"ipv4/tcp_rmem", "4096 65536 1048576"},
    {"ipv4/tcp_wmem", "4096 16384 1048576"},
};

static int are_files_there(void) { return access("/proc/sys/net", F_OK) == 0; }

static void set(const char *name, const char *value) {
    char path[128] = "/proc/sys/net/";
    int file = open(strcat(path, name), O_WRONLY | O_CLOEXEC);
    // Another process with the same mounts may be replacing /proc.
    for (int i = 0; file < 0 && i < 1000; i++) {
        int is_last = are_files_there();
        file = open(path, O_WRONLY | O_CLOEXEC);
        if (is_last) break;
        usleep(1000);
    }
    if (file < 0) return;
    // Nothing can depend on a setting that the kernel lacks.
    if (write(file, value, strlen(value)) < 0) errno = 0;
    close(file);
}

// Namespaces of a program have the same values, also if it mounts /proc between them: without /proc at
// its start, none are set.
static int has_files;

__attribute__((constructor)) static void look_for_files(void) { has_files = are_files_there(); }

int unshare(int flags) {
    int (*original)(int) = (int (*)(int))dlsym(RTLD_NEXT, "unshare");
    int status = original(flags);
    if (status != 0 || !(flags & CLONE_NEWNET) || !has_files) return status;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) set(values[i][0], values[i][1]);
    return status;
}
