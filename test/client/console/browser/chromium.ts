// A Chromium: the system's when CHROMIUM or the PATH has one, else that which comes with the packages.
import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { temporalCacheFolder } from '../../../../workers/temporal/temporal-cli';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const PACKED = join(require.resolve('@sparticuz/chromium'), '..', '..', '..', 'package.json');

export async function startChromium(): Promise<Browser> {
  const found = process.env.CHROMIUM ?? findInPath();
  const path = found ?? unpack();
  const folder = dirname(path);
  return await chromium.launch({
    executablePath: path,
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--disable-dev-shm-usage'],
    env:
      found === undefined
        ? {
            ...process.env,
            LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
            FONTCONFIG_PATH: join(folder, 'fonts'),
          }
        : process.env,
  });
}

function findInPath(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap(folder => NAMES.map(name => join(folder, name)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Test files run beside each other: it appears whole, or not at all. */
function unpack(): string {
  const { version } = JSON.parse(readFileSync(PACKED, 'utf8')) as { readonly version: string };
  // A user's own: under a name that everybody knows, somebody else might have put a program there.
  const cache = temporalCacheFolder(process.env);
  const place = join(cache, `chromium-${version}`);
  if (existsSync(place)) return join(place, 'chromium');
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(join(cache, '.chromium-'));
  // In a process of its own: where it unpacks to, and that its libraries are wanted as well, are told by the
  // environment.
  const program = `require(${JSON.stringify(require.resolve('@sparticuz/chromium'))}).executablePath().catch(
    error => { console.error(error); process.exitCode = 1; })`;
  execFileSync(process.execPath, ['-e', program], {
    env: { ...process.env, TMPDIR: own, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
  });
  // What it brings looks for its fonts in folders of another machine; without any font a page can end it.
  const fonts = ['<?xml version="1.0"?>', '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">', '<fontconfig>']
    .concat(`<dir>${join(place, 'fonts')}</dir>`, `<cachedir>${join(place, 'fonts-cache')}</cachedir>`)
    .concat('</fontconfig>', '');
  writeFileSync(join(own, 'fonts', 'fonts.conf'), fonts.join('\n'));
  try {
    renameSync(own, place);
  } catch {
    // Another one was first.
    rmSync(own, { recursive: true, force: true });
  }
  return join(place, 'chromium');
}
