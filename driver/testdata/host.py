"""A host in Python: handlers of a timer, of a profiler and of children, while two
threads make and destroy instances. Argument: the driver's library."""
import ctypes, signal, subprocess, sys, threading, time

library = ctypes.CDLL(sys.argv[1])
get = library.vk_icdGetInstanceProcAddr
get.restype = ctypes.c_void_p
get.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
version = ctypes.c_uint32(5)
assert library.vk_icdNegotiateLoaderICDInterfaceVersion(ctypes.byref(version)) == 0


class CreateInfo(ctypes.Structure):
    _fields_ = [("sType", ctypes.c_int), ("pNext", ctypes.c_void_p), ("flags", ctypes.c_uint32),
                ("app", ctypes.c_void_p), ("layers", ctypes.c_uint32), ("ppLayers", ctypes.c_void_p),
                ("extensions", ctypes.c_uint32), ("ppExtensions", ctypes.c_void_p)]


handle = ctypes.c_void_p
create = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CreateInfo), handle, ctypes.POINTER(handle))(get(None, b"vkCreateInstance"))
info = CreateInfo(sType=1)
handled = 0


def handler(number, frame):
    global handled
    handled += 1


for s in (signal.SIGALRM, signal.SIGPROF, signal.SIGCHLD):
    signal.signal(s, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)

end = time.monotonic() + 3
made = [0, 0]


def work(n):
    while time.monotonic() < end:
        instance = handle()
        assert create(ctypes.byref(info), None, ctypes.byref(instance)) == 0
        destroy = ctypes.CFUNCTYPE(None, handle, handle)(get(instance, b"vkDestroyInstance"))
        destroy(instance, None)
        made[n] += 1


other = threading.Thread(target=work, args=(1,))
other.start()
while time.monotonic() < end - 1:
    subprocess.run(["true"])
work(0)
other.join()
signal.setitimer(signal.ITIMER_REAL, 0)
signal.setitimer(signal.ITIMER_PROF, 0)
assert handled > 100 and min(made) > 0, (handled, made)
print("survived", handled, "signals and", sum(made), "instances")
