// Unix stream sockets at paths. Each function returns a value of zero or above, or -errno.
#ifndef CLINUX_LOCAL_H
#define CLINUX_LOCAL_H

/// Listens at a path, nonblocking. A socket that is there but has no listener is replaced.
int lc_local_listen(const char *path);

/// The next connection of a listener, nonblocking.
int lc_local_accept(int fd);

/// A nonblocking socket connected to a path.
int lc_local_connect(const char *path);

/// A connected pair of stream sockets.
int lc_local_pair(int *ends);

/// Whether a socket is of the Unix family: 1 or 0.
int lc_is_local(int fd);

/// Makes a descriptor vanish when another program is executed.
int lc_close_on_exec(int fd);

/// Makes calls on a descriptor fail instead of wait.
int lc_never_wait(int fd);

#endif
