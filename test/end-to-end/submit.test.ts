// `submit` as people use it: a folder of the drop folder, and files that the watcher is faster with.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { main } from '../../client/main';
import { Rig } from '../setup/rig';
import { expectAgreement, expectNoRemark } from './agreement';

jest.setTimeout(120_000);

let rig: Rig;
let output: string;

beforeEach(async () => {
  rig = await Rig.start();
  output = '';
  for (const stream of [process.stdout, process.stderr]) {
    jest.spyOn(stream, 'write').mockImplementation(text => {
      output += String(text);
      return true;
    });
  }
  process.env.TEMPORAL_ADDRESS = rig.temporal.address;
  process.env.TEMPORAL_NAMESPACE = rig.temporal.namespace;
});
afterEach(async () => {
  // The process of the tests is that of the command, and others follow in it.
  process.exitCode = undefined;
  jest.restoreAllMocks();
  delete process.env.TEMPORAL_ADDRESS;
  delete process.env.TEMPORAL_NAMESPACE;
  await rig.close();
});

async function submit(...paths: string[]): Promise<number> {
  return await main(['--config', join(rig.folder, 'drawbridge.json'), 'submit', ...paths], 'drawbridge');
}

test('a folder of the drop folder is carried in', async () => {
  await rig.startWorker();
  rig.dropFiles({ 'Package A/a.pdf': '%PDF a', 'Package A/inner/b.pdf': '%PDF b', 'later.pdf': '%PDF c' });
  expect(await submit(join(rig.drop, 'Package A'))).toBe(0);
  expect(output).toMatch(/2 submitted$/m);
  expect(rig.filesIn('drop')).toEqual(['later.pdf']);
  await expectNoRemark(rig.control);
});

test('a file that the watcher has claimed and started meanwhile is followed to its end', async () => {
  await rig.startWatcher();
  const hashes = rig.dropFiles({ 'by-hand.pdf': '%PDF by hand' });
  while (rig.filesIn('drop').length > 0) await delay(20);
  // On its way until somebody has looked for it: a worker may be through with it before that.
  await rig.control.addFault({ route: 'storage.put', times: 1, action: { kind: 'delay', ms: 3_000 } });
  const submitting = submit(join(rig.drop, 'by-hand.pdf'));
  await rig.startWorker();
  expect(await submitting).toBe(0);
  expect(output).toMatch(/batch \S+: 1 submitted$/m);
  await rig.untilSettled(1);
  await expectAgreement(rig, hashes);
});

test('a folder that is not there, and one without a file, have their reasons', async () => {
  await rig.startWorker();
  mkdirSync(join(rig.drop, 'bare'), { recursive: true });
  expect(await submit(join(rig.drop, 'bare'), join(rig.drop, 'Packaeg A'))).not.toBe(0);
  expect(output).toContain('"bare" has no file in it.');
  expect(output).toContain('"Packaeg A" is not in the drop folder');
});

test('a file that stays is told, by the exit code as well, where another one is carried in', async () => {
  await rig.startWorker();
  rig.dropFiles({ 'a.pdf': '%PDF a' });
  mkdirSync(join(rig.drop, 'bare'), { recursive: true });
  expect(await submit(join(rig.drop, 'a.pdf'), join(rig.drop, 'bare'))).toBe(4);
  expect(output).toMatch(/1 submitted$/m);
  expect(output).toContain('not carried in: "bare" has no file in it.');
  await expectNoRemark(rig.control);
});
