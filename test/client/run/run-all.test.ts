// One run at a time has the data of a state folder.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { thisProcess } from '../../../activities/host/process-identity';
import { runAll } from '../../../client/run/run-all';
import type { RunAllInput } from '../../../client/run/run-input';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();

/** Begins no part: making its log fails. */
function run(): Promise<void> {
  const config = { stateDir: folder(), shares: [{}], logging: undefined };
  return runAll({ config } as unknown as RunAllInput);
}

function plantLock(owner: object): string {
  const lock = join(folder(), 'run-lock');
  mkdirSync(lock);
  const content = { state: 'held', owner: { ...thisProcess(), ...owner } };
  writeFileSync(join(lock, 'owner-1'), JSON.stringify(content));
  return lock;
}

test('refuses beside another one of which nobody here can tell, and says what to remove if that is gone', async () => {
  const lock = plantLock({ host: 'elsewhere' });
  await expect(run()).rejects.toThrow(`If that process is gone, remove ${lock}.`);
});

test('goes on after the machine crashed and came back under another name', async () => {
  plantLock({ host: 'former-name', boot: 'another-boot' });
  await expect(run()).rejects.not.toThrow('running already');
});
