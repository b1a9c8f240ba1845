#ifndef PURSER_COPENSSL_SHIM_H
#define PURSER_COPENSSL_SHIM_H

#include <openssl/ssl.h>

#include "tls.h"

#endif
