#ifndef PURSER_CMICROHTTPD_SHIM_H
#define PURSER_CMICROHTTPD_SHIM_H

#include <microhttpd.h>

#endif
