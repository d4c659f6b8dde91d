package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"github.com/pumice-gpu/pumice/internal/elevated"
)

// drivers is the key whose values are the manifests of drivers. The loader reads it in
// HKEY_LOCAL_MACHINE alone, which takes an administrator's rights to write; of HKEY_CURRENT_USER it
// reads layers, no drivers.
const drivers = `SOFTWARE\Khronos\Vulkan\Drivers`

// installPaths is a folder of the user's, or of an elevated process one that only administrators
// can write.
func installPaths() (installed, error) {
	folder := windows.FOLDERID_LocalAppData
	if elevated.Process() {
		folder = windows.FOLDERID_ProgramFiles
	}
	base, err := windows.KnownFolderPath(folder, 0) // not what the environment says
	dir := filepath.Join(base, "Pumice")
	return installed{library: filepath.Join(dir, libraryName), manifest: filepath.Join(dir, manifestName)}, err
}

// manifestPlace is where a manifest would be that came with the command exe.
func manifestPlace(exe, _ string) string { return filepath.Join(filepath.Dir(exe), manifestName) }

// announced says whether the registry names the manifest.
func announced(manifest string) bool {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, drivers, registry.QUERY_VALUE)
	if err != nil {
		return false
	}
	defer key.Close()
	value, _, err := key.GetIntegerValue(manifest)
	return err == nil && value == 0
}

// announce writes the manifest into the registry. Without the right to do so it tells how programs
// find the driver.
func announce(manifest string) (advice string, err error) {
	key, _, err := registry.CreateKey(registry.LOCAL_MACHINE, drivers, registry.SET_VALUE)
	if errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		return fmt.Sprintf("not in the registry, which takes an elevated shell; programs find the driver by this variable:\nset VK_DRIVER_FILES=%s", manifest), nil
	}
	if err != nil {
		return "", fmt.Errorf(`HKLM\%s: %w`, drivers, err)
	}
	defer key.Close()
	return "", key.SetDWordValue(manifest, 0)
}

// withdraw takes back what announce has written.
func withdraw(manifest string) error {
	if !announced(manifest) {
		return nil
	}
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, drivers, registry.SET_VALUE)
	if err == nil {
		defer key.Close()
		err = key.DeleteValue(manifest)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf(`HKLM\%s: %w; an elevated shell may write there`, drivers, err)
	}
	return nil
}

// takenFromEnvironment says why the loader of a program that is started here would not look at its
// variables, unless the registry names the driver.
func takenFromEnvironment(manifest string) error {
	if !elevated.Process() || announced(manifest) {
		return nil
	}
	if p, err := installPaths(); err == nil && announced(p.manifest) {
		return nil
	}
	return errors.New("in an elevated process Vulkan's loader takes no driver from the environment: use a shell that is not elevated, or run pumice driver install, which writes the registry")
}
