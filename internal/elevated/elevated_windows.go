package elevated

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

var process = sync.OnceValue(func() bool {
	const mostOfUsers = 0x2000 // SECURITY_MANDATORY_MEDIUM_RID
	var label [128]byte        // a TOKEN_MANDATORY_LABEL, and its SID
	var n uint32
	err := windows.GetTokenInformation(windows.GetCurrentProcessToken(), windows.TokenIntegrityLevel,
		&label[0], uint32(len(label)), &n)
	if err != nil {
		return true // of two mistakes the one that harms nobody
	}
	sid := (*windows.Tokenmandatorylabel)(unsafe.Pointer(&label)).Label.Sid
	count := uint32(sid.SubAuthorityCount())
	return count == 0 || sid.SubAuthority(count-1) > mostOfUsers
})
