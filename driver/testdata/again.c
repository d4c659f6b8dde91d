/* A loader of Windows gives the driver's library back after the last instance, and takes it again for the next: Go's threads
   survive that, used or not. */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
	for (int i = 0; i < 20; i++) {
		HMODULE library = LoadLibraryA(getenv("PUMICE_DRIVER"));
		if (!library)
			return printf("not loaded: error %lu\n", GetLastError()), 1;
		int (*negotiate)(uint32_t *) =
			(int (*)(uint32_t *))(uintptr_t)GetProcAddress(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
		void *(*find)(void *, const char *) = (void *(*)(void *, const char *))(uintptr_t)GetProcAddress(library, "vk_icdGetInstanceProcAddr");
		uint32_t version = 7;
		if (i % 2 && (negotiate(&version) || !find(NULL, "vkCreateInstance")))
			return printf("the library has no driver in it the time %d\n", i + 1), 1;
		FreeLibrary(library);
		Sleep(10);
	}
	return 0;
}
