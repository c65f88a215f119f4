/* Error numbers that helpers return. */
#pragma once
#include <linux/errno.h>
