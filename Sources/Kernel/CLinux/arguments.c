#include "clinux_process.h"

#include <stdlib.h>
#include <unistd.h>

static char **words;
static int count;
static int has_named_root;

// Runs before the constructors of Swift's runtime. They look for its directory, in which a program
// that prints backtraces could be; in a program that is linked statically they ask /proc for it, and
// abort where that is not mounted. Nothing is in the directory that they are told instead.
__attribute__((constructor(101))) static void name_root(void) {
    has_named_root = access("/proc/self/exe", F_OK) != 0 && !getenv("SWIFT_ROOT") &&
                     setenv("SWIFT_ROOT", "/", 0) == 0;
}

// The C library of GNU hands these to what it runs before main().
__attribute__((constructor)) static void keep(int argc, char **argv) {
    words = argv;
    count = argc;
}

char *const *lc_arguments(int *found) {
    // By now they have asked, and other programs are to know nothing of it.
    if (has_named_root) unsetenv("SWIFT_ROOT");
    has_named_root = 0;
    *found = count;
    return words;
}
