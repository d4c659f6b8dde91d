'use strict';

// Where the packages of this system are: @pumice-gpu/driver-… and @pumice-gpu/command-…, which npm installs as
// optional dependencies.

const path = require('path');

const system = `${process.platform}-${process.arch}`;

function folder(what, why) {
  const name = `@pumice-gpu/${what}-${system}`;
  // npm installs the one that is for the system's C library.
  for (const one of [name, `${name}-musl`]) {
    try {
      return path.dirname(require.resolve(`${one}/package.json`));
    } catch {
      // It is the other one, or none.
    }
  }
  throw new Error(`pumice: ${name} is not installed: ${why}`);
}

// icd returns the path of the driver's manifest.
function icd() {
  const why = process.platform !== 'linux'
    ? 'the driver is for Linux'
    : 'npm leaves it out on processors other than x64, arm64 and riscv64, and with --omit=optional';
  return path.join(folder('driver', why), 'pumice_icd.json');
}

// command returns the path of the program.
function command() {
  const dir = folder('command', 'there is none for this system, or npm was told --omit=optional');
  return path.join(dir, process.platform === 'win32' ? 'pumice.exe' : 'pumice');
}

// env returns the variables with which programs take the driver, and no other. Chromium wants none that calls itself a CPU.
function env() {
  return { VK_DRIVER_FILES: icd(), VK_ICD_FILENAMES: icd(), PUMICE_DEVICE_TYPE: 'discrete' };
}

// What Chromium needs to be told to draw WebGL and WebGPU with the driver of env().
const chromiumArgs = Object.freeze([
  '--disable-gpu-sandbox',
  '--use-gl=angle',
  '--use-angle=vulkan',
  '--ignore-gpu-blocklist',
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan,WebGPU',
  '--disable-vulkan-surface',
]);

module.exports = { env, chromiumArgs };
Object.defineProperty(module.exports, 'icd', { enumerable: true, get: icd });
Object.defineProperty(module.exports, 'command', { enumerable: true, get: command });
