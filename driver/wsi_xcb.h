/* Windows of X11, over the application's own connection. */
#pragma once

#include <stdint.h>

struct pumice_window;

/* Open a window to show pictures on; NULL where libxcb (or libX11-xcb) cannot
   be loaded. */
struct pumice_window *pumice_xcb_open(void *connection, uint32_t window);
struct pumice_window *pumice_xlib_open(void *display, uint64_t window);

/* The size in pixels; 0 when the window is gone. The server is asked for it, unless a recent one will do: that with which the last
   picture was shown, if that was a moment ago. */
int pumice_window_extent(struct pumice_window *w, int recent, uint32_t *width, uint32_t *height);

/* Put rows of B8G8R8A8 texels, stride bytes apart, on the window. pixels may be
   written again afterwards. 0 when the window is gone. */
int pumice_window_show(struct pumice_window *w, const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t stride);

/* Have the X server map the file fd, which belongs to it from now on. Returns the segment; 0 where
   the server does not share memory. */
uint32_t pumice_window_share(struct pumice_window *w, int fd);
void pumice_window_unshare(struct pumice_window *w, uint32_t segment);

/* pumice_window_show of what lies at the beginning of a segment. */
int pumice_window_show_shared(struct pumice_window *w, uint32_t segment, uint32_t width, uint32_t height, uint32_t stride);

void pumice_window_close(struct pumice_window *w);
