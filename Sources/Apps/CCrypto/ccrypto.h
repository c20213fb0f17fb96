// libcrypto of OpenSSL, for SHA-256.
#ifndef LINKCOND_CCRYPTO_H
#define LINKCOND_CCRYPTO_H

#include <openssl/evp.h>

#endif
