/* Surfaces of Wayland, over the application's own connection. */
#pragma once

#include <stdint.h>

struct pumice_wayland;

/* Open a surface to show pictures on; NULL where libwayland-client cannot be
   loaded or the compositor takes no shared memory. */
struct pumice_wayland *pumice_wayland_open(void *display, void *surface);

/* Put rows of B8G8R8A8 texels, stride bytes apart, on the surface. pixels may be
   written again afterwards. 0 when the connection is gone. */
int pumice_wayland_show(struct pumice_wayland *w, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t stride);

/* 0 when the connection is gone. */
int pumice_wayland_alive(struct pumice_wayland *w);

void pumice_wayland_close(struct pumice_wayland *w);
