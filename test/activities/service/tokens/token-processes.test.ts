// Several real processes, one login: what must hold when they refresh at once and
// are killed at the worst moment.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useTemporaryFolder } from '../../../setup/temporary-folder';
import { FakeAuthServer } from './fake-auth-server';
import type { TokenOrder, TokenReport } from './token-process';

const folder = useTemporaryFolder();
let auth: FakeAuthServer;
let firstToken: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  auth = new FakeAuthServer();
  await auth.listen();
  firstToken = auth.login();
});

afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  await auth.close();
});

async function startProcess(): Promise<ChildProcess> {
  const child = fork(join(__dirname, 'token-process.ts'), [join(folder(), 'tokens'), auth.url, firstToken], {
    execArgv: ['-r', join(__dirname, '../../../setup/typescript-hook.cjs')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.push(child);
  await once(child, 'message');
  return child;
}

async function ask(child: ChildProcess, order: TokenOrder): Promise<TokenReport> {
  const report = once(child, 'message');
  child.send(order);
  return (await report)[0] as TokenReport;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('three processes share every refresh, and no token is sent twice', async () => {
  const processes = await Promise.all([startProcess(), startProcess(), startProcess()]);
  await Promise.all(processes.map(child => ask(child, { kind: 'current' })));
  for (let generation = 1; generation <= 15; generation++) {
    const reports = await Promise.all(processes.map(child => ask(child, { kind: 'refresh', generation })));
    expect(reports).toEqual(processes.map(() => ({ generation: generation + 1 })));
  }
  expect(auth.exchanges).toBe(16);
  expect([...auth.sends.values()].every(sends => sends === 1)).toBe(true);
}, 30_000);

test('a process killed between the exchange and storing it burns the login; the others send the old token once, then stay quiet', async () => {
  const [first, second] = await Promise.all([startProcess(), startProcess()]);
  await ask(first, { kind: 'current' });
  await ask(second, { kind: 'current' });
  auth.beforeAnswer = () => kill(first);
  first.send({ kind: 'refresh', generation: 1 } satisfies TokenOrder);
  await once(first, 'exit');
  auth.beforeAnswer = () => undefined;
  for (let n = 0; n < 3; n++) {
    expect(await ask(second, { kind: 'refresh', generation: 1 })).toEqual({ code: 'LOGIN_REQUIRED' });
  }
  expect([...auth.sends.values()]).toEqual([1, 2]);
}, 30_000);

test('a lock whose owner was killed is taken over at once', async () => {
  const [first, second] = await Promise.all([startProcess(), startProcess()]);
  await ask(first, { kind: 'current' });
  auth.faults.push('hang');
  first.send({ kind: 'refresh', generation: 1 } satisfies TokenOrder);
  while (auth.seen.length < 2) await new Promise(resolve => setTimeout(resolve, 5));
  await kill(first);
  const startedMs = Date.now();
  // The token had been sent and nobody knows its fate: sent once more, it works, for
  // the exchange had not happened.
  expect(await ask(second, { kind: 'refresh', generation: 1 })).toEqual({ generation: 2 });
  // A lock of which nobody knows whether its owner lives is waited for for minutes.
  expect(Date.now() - startedMs).toBeLessThan(10_000);
  expect(auth.infoCalls).toBe(1);
}, 30_000);

test('kills at various moments of a refresh never lose more than the login, and never send a token a third time', async () => {
  let generation = (await ask(await startProcess(), { kind: 'current' })).generation ?? 0;
  const survivor = children[0]!;
  for (let n = 0; n < 6; n++) {
    const victim = await startProcess();
    await ask(victim, { kind: 'current' });
    const asked = ask(survivor, { kind: 'refresh', generation });
    victim.send({ kind: 'refresh', generation } satisfies TokenOrder);
    setTimeout(() => victim.kill('SIGKILL'), n * 2);
    const report = await asked;
    if (report.code === 'LOGIN_REQUIRED') break;
    if (report.code === 'SERVICE_UNAVAILABLE') continue;
    generation = report.generation ?? generation;
  }
  expect(Math.max(...auth.sends.values())).toBeLessThanOrEqual(2);
  const stored = JSON.parse(await readFile(await storePath(), 'utf8')) as {
    refreshToken: string;
    burnt: unknown;
  };
  expect(stored.burnt !== null || auth.valid.includes(stored.refreshToken)).toBe(true);
}, 30_000);

async function storePath(): Promise<string> {
  const { readdir } = await import('node:fs/promises');
  const entries = await readdir(join(folder(), 'tokens'));
  return join(folder(), 'tokens', entries.find(entry => entry.endsWith('.json')) ?? '');
}
