/* Names that sources take from the C library. */
#pragma once
#include <linux/in.h>
#include <linux/in6.h>
#include <sys/socket.h>
