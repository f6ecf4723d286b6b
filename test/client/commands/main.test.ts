// The command line: what it says and the number it ends with.
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describeRefused, toChoice, toSaid, toSheet } from '../../../client/commands/answer';
import { describeBatches } from '../../../client/commands/status';
import { endWithReader, main } from '../../../client/main';
import { readShareKey } from '../../../workers/share-key';
import { sealedManifest } from '../../activities/share/sealed-manifest';
import { findFreePorts } from '../../setup/free-port';
import { usePrinted } from '../../setup/printed';
import { testTemporal } from '../../setup/temporal';
import { useTemporaryFolder } from '../../setup/temporary-folder';

const folder = useTemporaryFolder();
const printed = usePrinted();

afterEach(() => {
  delete process.env.TEMPORAL_ADDRESS;
});

function run(...args: string[]): Promise<number> {
  return main(['--data-dir', folder(), ...args], 'drawbridge');
}

function config(content: object): string {
  const path = join(folder(), 'drawbridge.json');
  writeFileSync(path, JSON.stringify(content));
  return path;
}

const SERVICE = {
  baseUrl: 'https://api.example.com',
  authUrl: 'https://login.example.com',
  clientId: 'client',
  clientSecret: { env: 'NO_SUCH_VARIABLE_HERE' },
};

describe('the command line', () => {
  test.each([
    [['--help'], 0, /Exit codes: 0 done/],
    [['stauts'], 2, /unknown command 'stauts'\n\(Did you mean status\?\)/],
    [['status', '--limit', '0'], 2, /a number from 1 to 1000/],
    [['run', '--stand-in-port', '65533'], 2, /a port from 1 to 65532/],
    [['config', 'validate', '--config', '/no/such/file.json'], 2, /no such file/],
  ])('%j ends with %i', async (args, code, text) => {
    expect(await run(...args)).toBe(code);
    expect(printed.text).toMatch(text);
  });

  test('says that a share is missing before anything is started', async () => {
    writeFileSync(join(folder(), 'secret.txt'), 'x', { mode: 0o600 });
    const path = config({ service: { ...SERVICE, clientSecret: { file: 'secret.txt' } } });
    expect(await run('--config', path, 'run')).toBe(2);
    expect(printed.text).toMatch(/A service is configured, but no share/);
    expect(printed.text).not.toMatch(/Temporal/);
  });

  test('does not call a service without a share valid', async () => {
    writeFileSync(join(folder(), 'secret.txt'), 'a secret', { mode: 0o600 });
    const path = config({ service: { ...SERVICE, clientSecret: { file: 'secret.txt' } } });
    expect(await run('--config', path, 'config', 'validate')).toBe(2);
    expect(printed.text).toMatch(/A service is configured, but no share/);
  });

  test('validates a configuration and reports every fault', async () => {
    const path = config({ service: SERVICE, sharess: [], logging: { level: 'loud' } });
    expect(await run('--config', path, 'config', 'validate')).toBe(2);
    expect(printed.text).toMatch(/3 faults/);
    expect(printed.text).toMatch(/NO_SUCH_VARIABLE_HERE is not set/);
    expect(printed.text).not.toMatch(/at .*\.ts:\d+/);
  });

  test('does not call valid what the page or the connection to Temporal would fall over', async () => {
    const access = {
      openid: { issuer: 'https://id.example.com', clientId: 'page', clientSecret: { env: 'NO_PAGE_SECRET' } },
    };
    const page = config({ console: { publicOrigin: 'https://page.example.com', access } });
    expect(await run('--config', page, 'config', 'validate')).toBe(2);
    expect(printed.text).toMatch(/console\.access\.openid\.clientSecret: .*NO_PAGE_SECRET is not set/);
    const profile = config({ temporal: { profile: 'nosuch' } });
    expect(await run('--config', profile, 'config', 'validate')).toBe(2);
    expect(printed.text).toMatch(/nosuch/);
  });

  test('prints what takes effect, without needing a secret', async () => {
    const path = config({ service: SERVICE });
    expect(await run('--config', path, '--service', 'https://other.example.com', 'config', 'print')).toBe(0);
    expect(JSON.parse(printed.text)).toMatchObject({
      service: { baseUrl: 'https://other.example.com', clientSecret: SERVICE.clientSecret },
      worker: { maxConcurrentTransfers: 4 },
      stateDir: join(folder(), 'state'),
    });
  });

  test('prints something that is valid again', async () => {
    expect(await run('--config', config({ service: SERVICE }), 'config', 'print')).toBe(0);
    writeFileSync(join(folder(), 'again.json'), printed.text);
    printed.clear();
    expect(await run('--config', join(folder(), 'again.json'), 'config', 'print')).toBe(0);
  });

  test('says where to look when no Temporal server answers', async () => {
    const [port] = await findFreePorts(1);
    process.env.TEMPORAL_ADDRESS = `127.0.0.1:${port}`;
    expect(await run('status')).toBe(5);
    expect(printed.text).toMatch(
      new RegExp(`Temporal at 127\\.0\\.0\\.1:${port} does not answer\\. Check the address`),
    );
  });

  test('says what keeps files out of each share, and makes no share of a folder that was never one', async () => {
    process.env.TEMPORAL_ADDRESS = testTemporal().address;
    const share = (name: string) => ({
      name,
      folder: join(folder(), name),
      project: { companyId: '1', projectId: '7001' },
      batch: { maxOpen: 1 },
    });
    const stateDir = join(folder(), 'state');
    const path = config({ service: SERVICE, stateDir, shares: [share('full'), share('away')] });
    const batchId = '20260131-093000-aaaaaa';
    const batch = join(folder(), 'full/.drawbridge/batches', batchId);
    mkdirSync(batch, { recursive: true });
    mkdirSync(join(folder(), 'full/drop'));
    writeFileSync(join(batch, 'batch.json'), sealedManifest(batchId, await readShareKey({ stateDir })));
    expect(await run('--config', path, 'status', '--json')).toBe(0);
    expect(JSON.parse(printed.text).shares).toMatchObject([
      { share: 'full', stoppedBy: 'full', open: 1, maxOpen: 1 },
      { share: 'away', stoppedBy: 'unseen', why: 'it is not mounted here, or was never used' },
    ]);
    printed.clear();
    expect(await run('--config', path, 'status')).toBe(0);
    expect(printed.text).toMatch(/Share full: takes nothing in: 1 of at most 1/);
    expect(existsSync(join(folder(), 'away'))).toBe(false);
  });

  test('says that a batch is not known, and resumes nothing when nothing waits', async () => {
    process.env.TEMPORAL_ADDRESS = testTemporal().address;
    expect(await run('resume', '20260101-000000-aaaaaa')).toBe(1);
    expect(printed.text).toMatch(/knows no batch 20260101-000000-aaaaaa/);
    expect(await run('answer', '20260101-000000-aaaaaa', '0', '--set', 'Type=Drawing')).toBe(1);
  });
});

describe('an answer on the command line', () => {
  test('says for which documents it is, in one way', () => {
    expect(toChoice(['3', 'A/x.pdf'], {})).toEqual({ kind: 'named', documents: ['3', 'A/x.pdf'] });
    expect(toChoice([], { all: true })).toMatchObject({ kind: 'fitting' });
    for (const [documents, options] of [
      [[], {}],
      [['3'], { all: true }],
      [[], { all: true, match: 'A-*' }],
    ] as const)
      expect(() => toChoice(documents, options)).toThrow(/in one way/);
  });

  test('comes from a sheet, which says all of it', () => {
    expect(toSheet([], { from: 'a.csv', as: 'Maria Keller', share: 'tender' })).toBe('a.csv');
    expect(() => toSheet(['3'], { from: 'a.csv' })).toThrow(/With --from/);
    expect(() => toSheet([], { from: 'a.csv', all: true })).toThrow(/With --from/);
  });

  test('gives values or a decision, and is refused with everything that it lacks', () => {
    expect(toSaid({ set: { Type: 'Drawing' } })).toEqual({ values: { Type: 'Drawing' } });
    expect(toSaid({ decision: 'retry' })).toEqual({ decision: 'retry' });
    expect(() => toSaid({})).toThrow(/give "decision".*or "values"/);
    expect(() => toSaid({ decision: 'terminate' })).toThrow(/needs a "reason" and the "status"/);
  });

  test('that is not taken says so once for all that it is alike for', () => {
    const refused = Array.from({ length: 12 }, (_, at) => ({ document: `A-${at}`, why: 'No such Type.' }));
    expect(describeRefused(refused.slice(0, 1))).toBe('The answer was not taken for A-0: No such Type.');
    expect(describeRefused([...refused, { document: 'B', why: 'Not held.' }])).toBe(
      [
        'The answer was not taken for 13 documents:',
        `  ${Array.from({ length: 10 }, (_, at) => `A-${at}`).join(', ')} and 2 more: No such Type.`,
        '  B: Not held.',
      ].join('\n'),
    );
  });

  test('takes several values of one field', async () => {
    process.env.TEMPORAL_ADDRESS = testTemporal().address;
    await run('answer', 'x', '0', '--set', 'A=1', '--set', 'A=2=3', '--set', '=x');
    expect(printed.text).toMatch(/a field and a value, such as "Status=Shared"/);
  });
});

describe('the table of batches', () => {
  const NOW = new Date('2026-01-31T10:00:00Z');
  const reason = { code: 'missing-values', text: 'Discipline is missing.', fix: 'Give a value.' };

  test('says what waits for a person and how to answer', () => {
    const text = describeBatches(
      [
        {
          workflowId: 'ingest/7001/b-1',
          batchId: 'b-1',
          status: 'RUNNING',
          startedAt: new Date('2026-01-31T09:58:30Z'),
          share: 'tender',
          progress: {
            batchId: 'b-1',
            share: 'tender',
            documents: 3,
            stages: { submitted: 2, held: 1 },
            held: [
              {
                index: 1,
                path: 'A/x.pdf',
                question: 'missing-values',
                reason,
                missing: ['Discipline'],
                sinceMs: NOW.getTime(),
                untilMs: NOW.getTime() + 3 * 86_400_000,
              },
            ],
          },
        },
        {
          workflowId: 'ingest/7001/b-0',
          batchId: 'b-0',
          status: 'COMPLETED',
          startedAt: new Date('2026-01-31T09:00:00Z'),
          closedAt: new Date('2026-01-31T09:03:00Z'),
          share: 'tender',
          summary: { batchId: 'b-0', submitted: 9, setApart: 1, receipts: [] },
        },
      ],
      'drawbridge',
      NOW,
    );
    expect(text.split('\n')).toEqual([
      'BATCH  SHARE   STATUS              DOCUMENTS                     TIME',
      'b-1    tender  running, some held  3: 2 submitted, 1 held        90 s',
      'b-0    tender  completed           10: 9 submitted, 1 set apart  3 min',
      '',
      'Waiting for a person:',
      '  b-1  A/x.pdf: Discipline is missing. Give a value.',
      "    set apart in 3 days; answer: drawbridge answer b-1 1 --set 'Discipline=...'",
    ]);
  });

  test('names the job of each batch where there are jobs', () => {
    const batch = { workflowId: 'ingest/7001/b', status: 'RUNNING', startedAt: NOW, share: 'tender' };
    const text = describeBatches(
      [
        { ...batch, batchId: 'b-2', job: 'Package A\u202e' },
        { ...batch, batchId: 'b-1' },
      ],
      'drawbridge',
      NOW,
    );
    expect(text.split('\n').map(line => line.slice(0, 23))).toEqual([
      'JOB         BATCH  SHAR',
      'Package A\uFFFD  b-2    tend',
      '            b-1    tend',
    ]);
  });

  test('says what to do when there is none', () => {
    expect(describeBatches([], 'drawbridge', NOW)).toMatch(/No batches yet/);
  });
});

describe('a reader that has read enough', () => {
  const broken = (code: string): Error => Object.assign(new Error(code), { code });

  test('ends a command without a word', () => {
    const stream = new EventEmitter();
    const end = jest.fn();
    endWithReader(stream as unknown as NodeJS.WriteStream, end);
    stream.emit('error', broken('EPIPE'));
    expect(end).toHaveBeenCalledTimes(1);
    expect(() => stream.emit('error', broken('EIO'))).toThrow('EIO');
  });

  test('does not end what runs for long', () => {
    const stream = new EventEmitter();
    const end = jest.fn();
    endWithReader(stream as unknown as NodeJS.WriteStream, end);
    stream.on('error', () => undefined);
    stream.emit('error', broken('EPIPE'));
    expect(end).not.toHaveBeenCalled();
  });
});

test('what a command has written comes through a pipe that is read slowly, all of it', async () => {
  const script = `
    const { endProcess } = require(${JSON.stringify(require.resolve('../../../client/main'))});
    process.stdout.write('x'.repeat(2_000_000));
    void endProcess(3);`;
  const hook = require.resolve('../../setup/typescript-hook.cjs');
  const child = spawn(process.execPath, ['-r', hook, '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  // From here on it would have ended, had it not to wait for us.
  await once(child.stdout, 'readable');
  let length = 0;
  for await (const chunk of child.stdout) length += (chunk as Buffer).length;
  expect([length, (await ended)[0]]).toEqual([2_000_000, 3]);
});
