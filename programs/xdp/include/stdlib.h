/* Included by sources that use nothing of it. */
#pragma once
