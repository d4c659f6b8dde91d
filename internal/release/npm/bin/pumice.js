#!/usr/bin/env node
'use strict';

const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');
const pumice = require('..');

function fail(err) {
  console.error(err.message);
  process.exit(1);
}

function program() {
  try {
    return pumice.command;
  } catch (err) {
    return fail(err);
  }
}

// `pumice run` looks for the driver beside the command, where npm does not put it.
function driver() {
  try {
    const { ICD } = JSON.parse(fs.readFileSync(pumice.icd, 'utf8'));
    return { PUMICE_DRIVER: path.join(path.dirname(pumice.icd), ICD.library_path) };
  } catch {
    return {}; // what draws needs no driver; what does says so
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: 'inherit', env: { ...driver(), ...process.env } });
// A terminal sends these to both, and what the command makes of them counts.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('error', fail);
child.on('exit', (status, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(status);
  }
});
