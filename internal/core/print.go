package core

// MaxPrinted bounds the bytes of shaders' messages that a device passes on.
const MaxPrinted = 1 << 20

// PrintOp is Message.Op of what shaders print (NonSemantic.DebugPrintf).
const PrintOp = "DebugPrintf"

// print passes on a message of a shader. Workers come here side by side: the order
// of the messages of different invocations means nothing.
func (d *Device) print(program, text string) {
	if d.cfg.Debug == nil {
		return
	}
	d.printing.Lock()
	defer d.printing.Unlock()
	if d.printed >= MaxPrinted {
		return
	}
	if d.printed += len(text) + 1; d.printed >= MaxPrinted {
		text += "\npumice: shaders have printed too much, what they print from here on is dropped"
	}
	d.cfg.Debug(Message{Severity: SeverityInfo, Op: PrintOp, Text: "shader " + program + ": " + text})
}
