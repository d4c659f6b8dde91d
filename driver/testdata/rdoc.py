"""Captures a frame of a program with RenderDoc and replays it: writes the texels of the
presented image, and prints what RenderDoc tells of one of its pixels. Arguments: a
folder, how many presentations are before the frame, x, y, the program, its arguments.
Ends with 77 where there is no module renderdoc."""
import sys
import time

try:
    import renderdoc as rd
except ImportError:
    sys.exit(77)

folder, frame, x, y, program, arguments = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5], sys.argv[6]


def capture():
    run = rd.ExecuteAndInject(program, folder, arguments, [], folder + "/frame", rd.GetDefaultCaptureOptions(), False)
    if run.result != rd.ResultCode.Succeeded:
        sys.exit("starting %s: %s" % (program, run.result))
    control = rd.CreateTargetControl("", run.ident, "test", True)
    control.QueueCapture(frame, 1)
    end = time.time() + 120
    while time.time() < end and control.Connected():
        message = control.ReceiveMessage(None)
        if message.type == rd.TargetControlMessageType.NewCapture:
            return message.newCapture.path
    sys.exit("no capture came")


def replay(path):
    file = rd.OpenCaptureFile()
    if file.OpenFile(path, "", None) != rd.ResultCode.Succeeded:
        sys.exit("%s cannot be opened" % path)
    result, control = file.OpenCapture(rd.ReplayOptions(), None)
    if result != rd.ResultCode.Succeeded:
        sys.exit("replay: %s" % result)
    present = control.GetRootActions()[-1]
    control.SetFrameEvent(present.eventId, True)
    image = present.copyDestination
    whole = rd.Subresource(0, 0, 0)
    with open(folder + "/texels", "wb") as out:
        out.write(control.GetTextureData(image, whole))
    history = control.PixelHistory(image, x, y, whole, rd.CompType.Typeless)
    last = history[-1]
    print("history", len(history), last.Passed(), *last.postMod.col.floatValue)
    control.SetFrameEvent(last.eventId, True)
    trace = control.DebugPixel(x, y, rd.ReplayController.NoPreference, rd.ReplayController.NoPreference)
    steps, state = 0, trace.debugger and control.ContinueDebug(trace.debugger)
    while state:
        steps, state = steps + len(state), control.ContinueDebug(trace.debugger)
    print("steps", steps)
    control.Shutdown()
    file.Shutdown()


rd.InitialiseReplay(rd.GlobalEnvironment(), [])
found = capture()
print("capture", found)
replay(found)
rd.ShutdownReplay()
