// The baseline of sessions: a plain Playwright script that performs actions
// that are given to it, with a screenshot before each and a recording of every
// session, and nothing else. It reads its orders as JSON from standard input
// and writes what it did as JSON to standard output.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const orders = JSON.parse(readFileSync(0, 'utf8'));
const { chromium } = createRequire(import.meta.url)(join(orders.driver, 'package'));

async function act(page, a) {
  const at = a.selector ? page.locator(a.selector).first() : null;
  switch (a.type) {
    case 'click': return at.click({ timeout: 5000 });
    case 'type': return at.pressSequentially(a.text, { timeout: 5000 });
    case 'check': return at.check({ timeout: 5000 });
    case 'select': return at.selectOption({ label: a.text }, { timeout: 5000 });
    case 'press': return page.keyboard.press(a.text);
    case 'scroll': return page.mouse.wheel(0, a.text === 'up' ? -orders.height : orders.height);
    case 'back': return page.goBack({ timeout: 5000 });
    default: return undefined;
  }
}

// record makes the film that the service makes, by the same encoder settings.
async function record(pictures) {
  const dir = await mkdtemp(join(tmpdir(), 'bare-'));
  let list = 'ffconcat version 1.0\n';
  for (const [i, picture] of pictures.entries()) {
    await writeFile(join(dir, `${i}.jpg`), picture);
    list += `file ${i}.jpg\nduration 2\n`;
  }
  await writeFile(join(dir, 'list.txt'), list);
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-f', 'concat', '-safe', '0', '-i', join(dir, 'list.txt'),
    '-vf', "scale=w='min(800,iw)':h='min(844,ih)':force_original_aspect_ratio=decrease:force_divisible_by=2,format=yuv420p",
    '-fps_mode', 'vfr', '-enc_time_base', '1/1000', '-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8', '-threads', '1',
    '-crf', '30', '-b:v', '1M', '-g', '8', '-auto-alt-ref', '0', '-f', 'webm', join(dir, 'out.webm')]);
  await rm(dir, { recursive: true });
}

const browser = await chromium.launch({ executablePath: orders.chromium });
const done = { sessions: 0, actions: 0, failed: 0 };
async function walk(actions) {
  const context = await browser.newContext({ viewport: { width: orders.width, height: orders.height }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(orders.url);
  const pictures = [];
  for (const a of actions) {
    pictures.push(await page.screenshot({ type: 'jpeg', quality: 70 }));
    try {
      await act(page, a);
      await page.waitForLoadState('load');
      done.actions++;
    } catch {
      done.failed++; // what a seed or a moment changed is not there for it
    }
  }
  await context.close();
  await record(pictures);
  done.sessions++;
}

const queue = [...orders.sessions];
const began = performance.now();
await Promise.all(Array.from({ length: orders.atOnce }, async () => {
  for (let next = queue.shift(); next; next = queue.shift()) await walk(next);
}));
done.seconds = (performance.now() - began) / 1000;
await browser.close();
console.log(JSON.stringify(done));
