// libsystemd's D-Bus client.
#ifndef LINKCOND_CSYSTEMD_H
#define LINKCOND_CSYSTEMD_H

#include <systemd/sd-bus.h>

#endif
