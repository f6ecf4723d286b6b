// Which Temporal CLI is taken, tried with programs that only pretend, in folders of their own.
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { thisProcess } from '../../../activities/host/process-identity';
import { resolveTemporalCli, temporalCacheFolder } from '../../../workers/temporal/temporal-cli';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
const GOOD = 'echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"';
const OLD = 'echo "temporal version 0.13.0 (Server 1.24.2, UI 2.20.0)"';
/** Where `sh` and what the pretending programs use live; no Temporal CLI may be there. */
const SYSTEM_PATH = '/usr/bin:/bin';

function program(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function resolve(environment: Record<string, string>) {
  const said: string[] = [];
  const reporter = { say: (line: string) => void said.push(line), progress: () => undefined };
  const cache = join(folder(), 'cache');
  const outcome = await resolveTemporalCli({
    environment: { XDG_CACHE_HOME: cache, PATH: SYSTEM_PATH, HOME: folder(), ...environment },
    reporter,
  }).catch((error: unknown) => error as Error & { code?: string });
  return { outcome, said };
}

function cached(name: string, script: string): string {
  return program(join(folder(), 'cache', 'drawbridge', name, 'temporal'), script);
}

describe('the Temporal CLI', () => {
  test('named by TEMPORAL_CLI comes first, and is said', async () => {
    const named = program(join(folder(), 'mine'), GOOD);
    program(join(folder(), 'bin', 'temporal'), GOOD);
    const { outcome, said } = await resolve({
      TEMPORAL_CLI: named,
      PATH: `${join(folder(), 'bin')}:${SYSTEM_PATH}`,
    });
    expect(outcome).toEqual({
      path: named,
      origin: 'TEMPORAL_CLI',
      cliVersion: '1.5.1',
      serverVersion: '1.29.1',
    });
    expect(said).toEqual([`Temporal CLI: ${named} (named by TEMPORAL_CLI), version 1.5.1, server 1.29.1`]);
  });

  test('of another checksum than the one that was named is not even run', async () => {
    const ran = join(folder(), 'ran');
    const strange = program(join(folder(), 'bin', 'temporal'), `touch ${ran}; ${GOOD}`);
    const right = cached('temporal-1.6.0', GOOD);
    const sha256 = createHash('sha256').update(readFileSync(right)).digest('hex');
    const { outcome, said } = await resolve({
      PATH: `${join(folder(), 'bin')}:${SYSTEM_PATH}`,
      TEMPORAL_CLI_SHA256: sha256.toUpperCase(),
    });
    expect(outcome).toMatchObject({ path: right, origin: 'cache' });
    expect(said[0]).toContain(`${strange}: its SHA-256 is `);
    expect(existsSync(ran)).toBe(false);
  });

  test('on PATH comes next', async () => {
    const onPath = program(join(folder(), 'bin', 'temporal'), GOOD);
    const { outcome } = await resolve({
      PATH: ['relative', join(folder(), 'bin'), SYSTEM_PATH].join(delimiter),
    });
    expect(outcome).toMatchObject({ path: onPath, origin: 'PATH' });
  });

  test.each([
    ['does not run', 'exit 3', /does not run \(3\)/],
    ['is too old', OLD, /too old: server 1\.24\.2/],
    ['is another program', 'echo "temporal logic checker 2.0"', /not the Temporal CLI/],
  ])('that %s is named and the next is tried', async (_name, script, why) => {
    const named = program(join(folder(), 'mine'), script);
    const good = program(join(folder(), 'bin', 'temporal'), GOOD);
    const { outcome, said } = await resolve({
      TEMPORAL_CLI: named,
      PATH: `${join(folder(), 'bin')}:${SYSTEM_PATH}`,
    });
    expect(outcome).toMatchObject({ path: good, origin: 'PATH' });
    expect(said[0]).toMatch(why);
    expect(said[0]).toContain(named);
  });

  test('that is named but not there is said so', async () => {
    cached('temporal-1.6.0', GOOD);
    const { outcome, said } = await resolve({ TEMPORAL_CLI: join(folder(), 'nowhere') });
    expect(outcome).toMatchObject({ origin: 'cache' });
    expect(said[0]).toMatch(/TEMPORAL_CLI: .*nowhere: there is no such file/);
  });

  test('is taken from the cache, the newest first', async () => {
    cached('temporal-1.9.0', GOOD);
    const newest = cached('temporal-1.10.0', GOOD);
    cached('temporal-1.11.0', 'exit 1');
    expect((await resolve({})).outcome).toMatchObject({ path: newest, origin: 'cache' });
  });

  test('is built with Go when there is no other way, and kept in the cache', async () => {
    // Pretends to be Go: builds a good program where it is told to, of what the module there asks for.
    const go = program(
      join(folder(), 'go-bin', 'go'),
      `case "$1" in
        env) echo /no/modules ;;
        build) mkdir -p "$GOMODCACHE/x" "$GOCACHE/y"; (cat "$3/go.mod"; echo "workspace $GOWORK") > "${join(folder(), 'asked')}"; printf '#!/bin/sh\\n%s\\n' '${GOOD}' > "$3/temporal" ;;
      esac`,
    );
    // Of an older version, whose database can refuse every statement for good.
    cached('temporal-1.5.1', GOOD);
    const environment = { PATH: `${dirname(go)}:${SYSTEM_PATH}`, HTTPS_PROXY: 'http://127.0.0.1:1' };
    mkdirSync(join(folder(), 'cache', 'drawbridge', '.fetching-killed', 'mod'), { recursive: true });
    const { outcome, said } = await resolve(environment);
    const cache = temporalCacheFolder({ XDG_CACHE_HOME: join(folder(), 'cache') });
    const name = 'temporal-1.5.1-sqlite-1.59.0';
    expect(outcome).toMatchObject({ origin: 'build', path: join(cache, name, 'temporal') });
    expect(readFileSync(join(folder(), 'asked'), 'utf8')).toMatch(
      /cli v1\.5\.1\n.*sqlite v1\.59\.0\n(?:.*\n)*workspace off\n/,
    );
    expect(said.some(line => line.startsWith('Temporal CLI: download did not work: '))).toBe(true);
    expect(readdirSync(cache).sort()).toEqual(['fetch-lock', 'temporal-1.5.1', name]);
    expect((await resolve({})).outcome).toMatchObject({
      origin: 'cache',
      path: join(cache, name, 'temporal'),
    });
  });

  test('is not downloaded where a checksum is named: the SDK would run it before it could be compared', async () => {
    const built = program(join(folder(), 'built'), GOOD);
    const go = program(
      join(folder(), 'go-bin', 'go'),
      `case "$1" in
        env) echo /no/modules ;;
        build) cp "${built}" "$3/temporal" ;;
      esac`,
    );
    const { outcome, said } = await resolve({
      PATH: `${dirname(go)}:${SYSTEM_PATH}`,
      HTTPS_PROXY: 'http://127.0.0.1:1',
      TEMPORAL_CLI_SHA256: createHash('sha256').update(readFileSync(built)).digest('hex'),
    });
    expect(outcome).toMatchObject({ origin: 'build' });
    expect(said[0]).toMatch(/^Temporal CLI: nothing is downloaded, .* before its checksum can be compared$/);
    expect(said.join('\n')).not.toContain('download did not work');
  });

  test('that an older version has built is taken when no other can be had', async () => {
    const outdated = cached('temporal-1.5.1', GOOD);
    const { outcome } = await resolve({ HTTPS_PROXY: 'http://127.0.0.1:1' });
    expect(outcome).toMatchObject({ origin: 'cache', path: outdated });
  });

  test('that cannot be had is an error that says what was tried and what to install', async () => {
    const { outcome } = await resolve({ HTTPS_PROXY: 'http://127.0.0.1:1' });
    expect(outcome).toMatchObject({ code: 'NO_TEMPORAL_CLI' });
    const { message } = outcome as Error;
    expect(message).toMatch(/PATH has no "temporal"/);
    expect(message).toMatch(/build: "go" is not installed/);
    expect(message).toMatch(/install the Temporal CLI .* TEMPORAL_ADDRESS/s);
  });

  test('is not missed by somebody who calls the search off: that is told as such', async () => {
    const calling = new AbortController();
    const reason = new Error('ended by SIGINT');
    const said: string[] = [];
    const resolving = resolveTemporalCli({
      environment: {
        XDG_CACHE_HOME: join(folder(), 'cache'),
        PATH: SYSTEM_PATH,
        HOME: folder(),
        HTTPS_PROXY: 'http://127.0.0.1:1',
      },
      reporter: {
        progress: () => undefined,
        say: line => {
          said.push(line);
          // The build is what comes next.
          if (line.includes('download did not work')) calling.abort(reason);
        },
      },
      signal: calling.signal,
    });
    await expect(resolving).rejects.toBe(reason);
    expect(said.filter(line => line.includes('did not work'))).toHaveLength(1);
    const lock = join(folder(), 'cache', 'drawbridge', 'fetch-lock', 'owner-1');
    expect(readFileSync(lock, 'utf8')).toContain('released');
  });

  test('is fetched by one process at a time: the other waits and then finds it', async () => {
    const lock = join(folder(), 'cache', 'drawbridge', 'fetch-lock');
    mkdirSync(lock, { recursive: true });
    const owner = join(lock, 'owner-1');
    writeFileSync(owner, JSON.stringify(thisProcess()));
    const said: string[] = [];
    const resolving = resolveTemporalCli({
      environment: { XDG_CACHE_HOME: join(folder(), 'cache'), PATH: SYSTEM_PATH, HOME: folder() },
      reporter: {
        progress: () => undefined,
        say: line => {
          said.push(line);
          if (!line.includes('waiting for it')) return;
          cached('temporal-1.6.0', GOOD);
          writeFileSync(owner, '{"released":true}');
        },
      },
    });
    expect(await resolving).toMatchObject({ origin: 'cache' });
    expect(said[0]).toContain(`process ${process.pid}`);
    expect(readFileSync(join(lock, 'owner-2'), 'utf8')).toContain('released');
  });
});
