#ifndef PURSER_CCURL_SHIM_H
#define PURSER_CCURL_SHIM_H

#include <curl/curl.h>

#endif
