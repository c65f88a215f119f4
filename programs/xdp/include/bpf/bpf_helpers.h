/* Sources written for other loaders include this name. */
#pragma once
#include "../linecard_bpf.h"
