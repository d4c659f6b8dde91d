/** The path of the driver's manifest, for VK_DRIVER_FILES. Throws an Error where there is no driver for the system. */
export const icd: string;

/** The path of the program `pumice`. Throws an Error where there is none for the system. */
export const command: string;

/** The variables with which programs take this driver, and no other. Throws an Error where there is no driver for the system. */
export function env(): { VK_DRIVER_FILES: string; VK_ICD_FILENAMES: string; PUMICE_DEVICE_TYPE: string };

/** Arguments for Chromium, to draw WebGL and WebGPU with the driver of `env()`. */
export const chromiumArgs: readonly string[];
