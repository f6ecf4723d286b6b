import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpuSecondsOf, ticksOf } from './process-cpu';

test('the time of a process and of its ended children is read, whatever the program is called', () => {
  const stat = '7 (a) 1 (b) S 1 7 7 0 -1 4194304 100 200 0 0 31 12 500 70 20 0 11 0 9 0 0';
  expect(ticksOf(stat)).toBe(31 + 12 + 500 + 70);
});

/** Uses the CPU until it has taken so much, and then says by its own count what it took. */
const BURN = `
  const taken = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
  const burn = seconds => { while (taken() < seconds); };`;
const ENDS = `${BURN} burn(0.4); console.log(taken());`;
/** Ends when whoever has started it does. */
const STAYS = `${BURN} burn(0.6); console.log(taken());
  process.stdin.resume().once('end', () => process.exit());`;
const SERVER = `${BURN}
  const { spawn, spawnSync } = require('node:child_process');
  const ended = Number(spawnSync(process.execPath, ['-e', ${JSON.stringify(ENDS)}]).stdout);
  const child = spawn(process.execPath, ['-e', ${JSON.stringify(STAYS)}]);
  child.stdout.once('data', running => {
    burn(0.8);
    console.log(ended + Number(running) + taken());
  });
  process.stdin.resume().once('end', () => process.exit());`;

test('a server counts with a child that has ended and with one that runs, each once', async () => {
  const server = spawn(process.execPath, ['-e', SERVER], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(server, 'exit');
  try {
    const [told] = (await once(server.stdout, 'data')) as [Buffer];
    expect(Number(told)).toBeGreaterThanOrEqual(1.8);
    // Less than any of the three takes: what their ends and this reading take is in it.
    expect(Math.abs(cpuSecondsOf(server.pid ?? 0) - Number(told))).toBeLessThan(0.3);
  } finally {
    server.stdin.end();
    await exited;
  }
});

test('what does not run any more has taken nothing that could be read', async () => {
  const gone = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(gone, 'exit');
  expect(cpuSecondsOf(gone.pid ?? 0)).toBe(0);
});
