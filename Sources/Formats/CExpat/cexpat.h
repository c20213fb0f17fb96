// libexpat, which reads XML.
#ifndef LINKCOND_CEXPAT_H
#define LINKCOND_CEXPAT_H

#include <expat.h>

#endif
