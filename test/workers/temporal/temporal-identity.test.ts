// Which Temporal this is, noted in a state folder that may be full. Everything else of it needs a
// server: embedded-temporal.test.ts.
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporalIdentity } from '../../../workers/temporal/temporal-identity';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
const said: unknown[] = [];
const logger = {
  info: (facts: object) => void said.push(facts),
  warn: (facts: object) => void said.push(facts),
};

/** Writing fails as on a disk without room. */
function fill(): void {
  symlinkSync('/dev/full', join(folder(), `temporals.json.${process.pid}`));
}

function identity(id: () => string) {
  const describeNamespace = async () => ({ namespaceInfo: { id: id() } });
  return createTemporalIdentity({
    connection: { workflowService: { describeNamespace } },
    namespace: 'default',
    address: '127.0.0.1:7233',
    stateDir: folder(),
    logger,
  });
}

beforeEach(() => {
  said.length = 0;
});
afterEach(() => {
  jest.restoreAllMocks();
});

test('a full disk keeps nobody from knowing it; said once, and noted when there is room again', async () => {
  let nowMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const who = identity(() => 'one');
  for (let turn = 0; turn < 3; turn++, nowMs += 60_000) {
    fill();
    expect(await who()).toMatchObject({ id: 'one', former: [] });
    // Nothing half-written is left to take up room.
    expect(readdirSync(folder())).toEqual([]);
  }
  expect(said).toEqual([{ event: 'state-unwritable', code: 'ENOSPC' }]);
  expect(await who()).toMatchObject({ id: 'one' });
  expect(JSON.parse(readFileSync(join(folder(), 'temporals.json'), 'utf8'))).toMatchObject({
    ids: { '127.0.0.1:7233 default': ['one'] },
  });
  expect(said).toHaveLength(2);
  nowMs += 60_000;
  await who();
  expect(said).toHaveLength(2);
});

test('who was there before is remembered, also where the new one could not be noted', async () => {
  await identity(() => 'one')();
  const who = identity(() => 'two');
  fill();
  expect(await who()).toMatchObject({ id: 'two', former: ['one'] });
  expect(existsSync(join(folder(), 'temporals.json'))).toBe(true);
  expect(await identity(() => 'two')()).toMatchObject({ id: 'two', former: ['one'] });
});
