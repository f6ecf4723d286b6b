// `drawbridge scorecard`, from the receipts on a share to what people read.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../../../client/main';
import type { DocumentOutcome } from '../../../workflows/ingest/ingest-contract';
import { claimAll, submitted } from '../../activities/share/share-test-bed';
import { usePrinted } from '../../setup/printed';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { openTender } from '../open-tender';

const folder = useTemporaryFolder();
const printed = usePrinted();

const configFile = () => join(folder(), 'drawbridge.json');
const scorecard = (...args: string[]) => main(['--config', configFile(), 'scorecard', ...args], 'drawbridge');

/** A share on which these became revisions, as one batch. */
async function prepare(...outcomes: readonly DocumentOutcome[]): Promise<void> {
  const share = await openTender(folder());
  mkdirSync(join(folder(), 'share/drop'), { recursive: true });
  for (const { index } of outcomes) writeFileSync(join(folder(), `share/drop/${index}.pdf`), `${index}`);
  const { batchId } = await claimAll(share);
  await share.settleUp(batchId, outcomes, { final: true });
}

const stored = [
  { label: 'Type', value: 'Drawing', from: 'service' },
  { label: 'Number', value: 'A-1', from: 'row B' },
  { label: 'Status', value: 'Shared', from: 'default' },
];

/** Twelve drawings of which the analysis found the type, and of two of them another one; one came late. */
const DRAWINGS: readonly DocumentOutcome[] = Array.from({ length: 12 }, (_, index) => ({
  ...submitted(index),
  stored: index < 2 ? stored.with(0, { label: 'Type', value: 'Drawing', from: 'person' }) : stored,
  analysis: {
    waitedMs: index === 11 ? 180_000 : 5_000 + index * 100,
    ...(index === 11 ? { end: 'late' as const } : {}),
    found: ['Type'],
    lacked: ['Status'],
    ...(index < 2 ? { replaced: [{ label: 'Type', value: 'Letter' }] } : {}),
  },
}));

test('what the analysis found, left empty and took, with advice in one line', async () => {
  await prepare(...DRAWINGS);
  expect(await scorecard('--share', 'tender')).toBe(0);
  expect(printed.text).toContain('12 documents in 1 finished batch, 20');
  expect(printed.text).toContain(
    'The analysis was waited for with all of them: median 5.5 s, longest 3 min, 1 (8 %) not in time.',
  );
  expect(printed.text).toContain(
    [
      'Drawing: 12 documents: median 5.5 s, longest 3 min, 1 (8 %) not in time',
      '  Field   Asked  Found       Agreed  Overruled  Given  Advice',
      '  Status  12     0 (0 %)     0       0          0      stop waiting',
      '  Type    12     12 (100 %)  0       2          0      ask',
      '  Always given: Number (12)',
    ].join('\n'),
  );
  expect(printed.text).toContain(
    'Advice: stop waiting for Status: give it by register, name or default; ask people for Type.\n',
  );
});

test('as JSON', async () => {
  await prepare(...DRAWINGS);
  expect(await scorecard('--json')).toBe(0);
  const status = { field: 'Status', asked: 12, found: 0, agreed: 0, overruled: 0, givenBefore: 0 };
  const analysis = { waited: 12, late: 1, failed: 0, medianMs: 5_500, longestMs: 180_000 };
  expect(JSON.parse(printed.text)).toMatchObject({
    share: 'tender',
    batches: 1,
    unread: 0,
    documents: 12,
    analysis,
    types: [
      {
        type: 'Drawing',
        documents: 12,
        analysis,
        fields: [
          { field: 'Number', asked: 0, givenBefore: 12, advice: 'no say' },
          { ...status, advice: 'stop waiting' },
          { field: 'Type', found: 12, overruled: 2, advice: 'ask' },
        ],
      },
    ],
  });
  expect(JSON.parse(printed.text)).not.toHaveProperty('type');
});

test('receipts that do not tell of it are counted, and no advice is made of them', async () => {
  await prepare(submitted(0), submitted(1));
  expect(await scorecard()).toBe(0);
  expect(printed.text).toContain('2 documents in 1 finished batch');
  expect(printed.text).toContain('With 2 documents it was not: nothing of it was needed');
  expect(printed.text).toContain('Advice: none yet.');
});

test('a receipt that was changed is left out, and that is said', async () => {
  await prepare(...DRAWINGS);
  const own = join(folder(), 'share/.drawbridge');
  const names = readdirSync(own, { recursive: true, encoding: 'utf8' });
  writeFileSync(join(own, names.find(name => name.endsWith('/receipt.json')) ?? ''), '{}');
  expect(await scorecard()).toBe(0);
  expect(printed.text).toContain('0 documents in 0 finished batches.\n1 batch left out');
});
