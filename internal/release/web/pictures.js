'use strict';

// Opens page.html in Chromium, with Playwright and with Pumice as what draws, and prints sums of what it shows as JSON, a line a run:
//
//	node pictures.js CHROMIUM PAGE THREADS...
//
// Run it in a folder with the npm packages playwright-core and @pumice-gpu/pumice, and a playwright.config.js.

const { createHash } = require('crypto');
const fs = require('fs');
const http = require('http');
const { createRequire } = require('module');

const here = createRequire(`${process.cwd()}/`);
const { chromium } = here('playwright-core');
const { launchOptions } = here('./playwright.config.js').use;

const sum = (data) => createHash('sha256').update(data).digest('hex');

async function run(executablePath, url, threads) {
  const browser = await chromium.launch({
    ...launchOptions,
    executablePath,
    args: [...launchOptions.args, '--enable-webgpu-developer-features'], // so that adapters have names
    env: { ...launchOptions.env, PUMICE_THREADS: threads },
  });
  try {
    const page = await browser.newPage({ viewport: { width: 256, height: 512 } });
    await page.goto(url);
    const names = await page.evaluate(() => window.drawn);
    const { webgl, webgpu, texels } = await page.evaluate(() => ({
      webgl: document.getElementById('webgl').toDataURL(), webgpu: window.webgpuURL, texels: window.texels,
    }));
    const screenshot = await page.screenshot();
    const file = (url) => Buffer.from(url.split(',')[1], 'base64');
    if (process.env.KEEP) {
      fs.writeFileSync(`${process.env.KEEP}-screenshot.png`, screenshot);
      fs.writeFileSync(`${process.env.KEEP}-webgpu.png`, file(webgpu));
    }
    return { names, sums: { webgl: sum(file(webgl)), webgpu: sum(file(webgpu)), texels: sum(Buffer.from(texels)), screenshot: sum(screenshot) } };
  } finally {
    await browser.close();
  }
}

// On a machine with much else to do, one start in twenty or so of Chromium takes its contexts away in
// its first second, though no process has ended; where it has not run for long, several in a row. It is
// started once more then, a while later, which the line says.
async function again(run) {
  for (let lost = 0; ; lost++) {
    try {
      return { ...await run(), lost };
    } catch (err) {
      if (lost === 5 || !/no WebGPU|no longer exists/.test(err.message)) throw err;
      await new Promise((resolve) => setTimeout(resolve, 2000 * (lost + 1)));
    }
  }
}

(async () => {
  const [executablePath, file, ...threads] = process.argv.slice(2);
  // WebGPU is for pages of this machine or with TLS, not for files.
  const server = http.createServer((_, to) => to.setHeader('Content-Type', 'text/html').end(fs.readFileSync(file)));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  for (const n of threads) console.log(JSON.stringify(await again(() => run(executablePath, `http://127.0.0.1:${server.address().port}/`, n))));
  server.close();
})().catch((err) => {
  console.error(err);
  process.exit(1);
});
