// Makes the ends of threads and of the process overlap: OpenSSL frees what a thread had only when the
// process has freed what all threads share. For LD_PRELOAD; needs no more than busy processors do.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

// OpenSSL's key whose values are freed when their thread ends.
static void (*free_value)(void *);

static void free_value_late(void *value) {
    usleep(60 * 1000);
    free_value(value);
}

static int is_of_openssl(void (*function)(void *)) {
    Dl_info info;
    return function && dladdr((void *)function, &info) && info.dli_fname &&
           strstr(info.dli_fname, "libcrypto");
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    int (*create)(pthread_key_t *, void (*)(void *)) = dlsym(RTLD_NEXT, "pthread_key_create");
    if (!free_value && is_of_openssl(destructor)) {
        free_value = destructor;
        destructor = free_value_late;
    }
    return create(key, destructor);
}

// Runs after all that was registered with atexit(3).
__attribute__((destructor)) static void end_late(void) { usleep(200 * 1000); }
