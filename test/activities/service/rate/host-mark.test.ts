// Which processes are of one host, as the rate limit is shared out between hosts.
import { chmodSync, cpSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { markOfHost } from '../../../../activities/service/rate/host-mark';
import { useTemporaryFolder } from '../../../setup/temporary-folder';

const root = useTemporaryFolder();
const folder = (name = 'state') => join(root(), name, 'rate');

const MACHINE = 'a-start-of-a-machine';

test('containers of one machine are one host by the state folder that they share, also when made anew', async () => {
  const names = ['c0ffee', 'decade', 'facade', 'efface', 'accede', 'deface'];
  const marks = await Promise.all(names.map(host => markOfHost(folder(), { host, boot: MACHINE })));
  expect(marks[0]).toMatch(/^[0-9a-f]{8}$/);
  expect(new Set(marks).size).toBe(1);
  expect(await markOfHost(folder(), { host: 'made anew', boot: MACHINE })).toBe(marks[0]);
  expect(statSync(join(folder(), 'host-mark')).mode & 0o777).toBe(0o600);
});

test('state folders of their own are hosts of their own, also where names and paths agree', async () => {
  const container = { host: 'worker', boot: MACHINE };
  expect(await markOfHost(folder('one'), container)).not.toBe(await markOfHost(folder('two'), container));
});

test('a state folder that was copied to another machine is not the same host', async () => {
  const here = await markOfHost(folder(), { host: 'worker', boot: MACHINE });
  cpSync(folder(), folder('copy'), { recursive: true });
  expect(await markOfHost(folder('copy'), { host: 'worker', boot: 'another' })).not.toBe(here);
});

test('where the system does not tell the starts of machines apart, their names do', async () => {
  const here = await markOfHost(folder(), { host: 'here', boot: '' });
  expect(await markOfHost(folder(), { host: 'here', boot: '' })).toBe(here);
  expect(await markOfHost(folder(), { host: 'there', boot: '' })).not.toBe(here);
});

test('where nothing can be written, a host is told by its name and folder', async () => {
  writeFileSync(join(root(), 'state'), 'no folder');
  const here = await markOfHost(folder(), { host: 'here', boot: MACHINE });
  expect(await markOfHost(folder(), { host: 'here', boot: MACHINE })).toBe(here);
  expect(await markOfHost(folder(), { host: 'there', boot: MACHINE })).not.toBe(here);
});

test('a mark that others may write is not believed, and whoever keeps the host running is told what to do', async () => {
  const told: unknown[] = [];
  const mark = (host: string) => markOfHost(folder(), { host, boot: MACHINE }, error => told.push(error));
  await mark('here');
  expect(told).toEqual([]);
  chmodSync(join(folder(), 'host-mark'), 0o666);
  expect(await mark('here')).not.toBe(await mark('there'));
  expect(told).toHaveLength(2);
  expect(String(told[0])).toContain(
    'the mark of this host can be read or written by others; set its mode to 0600',
  );
});
