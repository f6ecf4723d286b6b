// `drawbridge explain`: what became of a document, from the ledger on the share.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeDocuments } from '../../../client/explain/describe-documents';
import { main } from '../../../client/main';
import { claimAll, submitted } from '../../activities/share/share-test-bed';
import { usePrinted } from '../../setup/printed';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { openTender } from '../open-tender';

const folder = useTemporaryFolder();
const printed = usePrinted();

const NOON = Date.UTC(2026, 1, 3, 12);
const CONFLICT = {
  what: 'workflow-conflict',
  why: 'Earlier revisions of this document have a workflow that is still running.',
} as const;

const configFile = () => join(folder(), 'drawbridge.json');

/** A share on which two files became revisions. */
async function prepare(): Promise<void> {
  const share = await openTender(folder());
  mkdirSync(join(folder(), 'share/drop/TR-1'), { recursive: true });
  for (const name of ['A-1.pdf', 'A-2.pdf']) writeFileSync(join(folder(), 'share/drop/TR-1', name), name);
  const { batchId } = await claimAll(share);
  const told = {
    ...submitted(1),
    stored: [
      { label: 'Number', value: 'N-1', from: 'row B' },
      { label: 'Type', value: 'Drawing', from: 'service' },
      { label: 'Title', value: 'Plan' },
    ],
    notes: ['It came twice.', 'Answered by Maria on 2026-02-03 at 14:05 UTC: Type = Drawing.'],
    analysis: {
      waitedMs: 180_000,
      end: 'late',
      found: ['Type'],
      lacked: ['Status'],
      replaced: [{ label: 'Type', value: 'Letter' }],
    },
    answers: [
      {
        by: 'Maria',
        atMs: Date.UTC(2026, 1, 3, 14, 5),
        sinceMs: Date.UTC(2026, 1, 3, 12, 5),
        question: 'missing-values',
        said: 'Type = Drawing',
      },
      {
        atMs: Date.UTC(2026, 1, 3, 15),
        sinceMs: Date.UTC(2026, 1, 3, 14, 59),
        question: 'x',
        said: 'try again',
      },
    ],
    waits: [
      {
        what: 'in-line',
        sinceMs: NOON,
        untilMs: NOON + 720_000,
        why: 'revision A of this document, "TR-0/A-2.pdf" in batch 20260130-120000-aaaaaa',
      },
      { ...CONFLICT, sinceMs: NOON, untilMs: NOON + 7_200_000, times: 4, policy: 'wait' },
      { ...CONFLICT, sinceMs: NOON, untilMs: NOON, times: 1, policy: 'terminate' },
      { ...CONFLICT, sinceMs: NOON, untilMs: NOON, times: 1, policy: 'set-apart' },
      { what: 'in-line', sinceMs: NOON, why: 'an earlier revision in batch 20260130-120000-aaaaaa' },
    ],
  } as const;
  const asks = ['Number', 'Type'];
  await share.appendRecord(batchId, {
    kind: 'required',
    documents: [{ index: 1, when: 'Type is "Drawing"', asks }],
  });
  await share.settleUp(batchId, [submitted(0), told], { final: true });
}

/** Of the batch that is finished. */
function onlyReceipt(): string {
  const own = join(folder(), 'share/.drawbridge');
  const names = readdirSync(own, { recursive: true, encoding: 'utf8' });
  return join(own, names.find(name => name.endsWith('/receipt.json')) ?? '');
}

const explain = (...args: string[]) => main(['--config', configFile(), 'explain', ...args], 'drawbridge');

test('by the file, its name, its Number, its upload or its revision: one answer', async () => {
  await prepare();
  const copy = join(folder(), 'copy of it.pdf');
  writeFileSync(copy, 'A-2.pdf');
  for (const wanted of [copy, 'a-2', 'A-2.pdf', 'n-1', 'U1', 'R1']) {
    printed.clear();
    expect([await explain(wanted), printed.text]).toEqual([0, expect.stringContaining('revision id')]);
    expect(printed.text).toContain('"A-2", Number N-1\n  revision id R1\n');
    expect(printed.text).toContain('dropped as  TR-1/A-2.pdf in share tender');
    expect(printed.text).not.toContain('A-1');
  }
});

test('its values are told with where they came from, as far as the receipt keeps that', async () => {
  await prepare();
  expect(await explain('R1')).toBe(0);
  expect(printed.text).toContain(
    [
      '  values      Number: N-1 (register)',
      '              Type: Drawing (found by the service)',
      '              Title: Plan (where it is from was not kept)',
      '  requirement Type is "Drawing": asks for Number, Type',
      '  analysis    waited for 3 min; it had not ended by then',
      '              found Type',
      '              left empty Status',
      '              had found Letter for Type, before somebody gave it',
      '  waited      2026-02-03T12:00:00.000Z: in line for 12 min, behind revision A of this document, "TR-0/A-2.pdf" in batch 20260130-120000-aaaaaa',
      `              2026-02-03T12:00:00.000Z: refused at least 4 times within 2 h, it was tried again by itself. ${CONFLICT.why}`,
      `              2026-02-03T12:00:00.000Z: refused once, they were to be ended, as the share is set. ${CONFLICT.why}`,
      `              2026-02-03T12:00:00.000Z: refused once, it was set apart, as the share is set. ${CONFLICT.why}`,
      '              2026-02-03T12:00:00.000Z: in line (until when was not seen), behind an earlier revision in batch 20260130-120000-aaaaaa',
      '  answered    2026-02-03T14:05:00.000Z by Maria: Type = Drawing (asked 2 h before about values that it lacked)',
      '              2026-02-03T15:00:00.000Z by somebody who gave no name: try again (asked 60 s before about x)',
      '  notes       It came twice.',
    ].join('\n'),
  );
  printed.clear();
  expect(await explain('R1', '--json')).toBe(0);
  expect(JSON.parse(printed.text).documents[0].kept).toMatchObject({
    requirement: { when: 'Type is "Drawing"', asks: ['Number', 'Type'] },
    analysis: { waitedMs: 180_000, lacked: ['Status'] },
    answers: [
      { by: 'Maria', at: '2026-02-03T14:05:00.000Z', askedAt: '2026-02-03T12:05:00.000Z' },
      { by: null, said: 'try again' },
    ],
    waits: [
      { what: 'in-line', since: '2026-02-03T12:00:00.000Z', until: '2026-02-03T12:12:00.000Z' },
      { what: 'workflow-conflict', until: '2026-02-03T14:00:00.000Z', times: 4, policy: 'wait' },
      { times: 1, policy: 'terminate' },
      { times: 1, policy: 'set-apart' },
      { what: 'in-line', until: null },
    ],
  });
  printed.clear();
  expect(await explain('R0', '--json')).toBe(0);
  expect(JSON.parse(printed.text).documents[0].kept).toMatchObject({
    // As of what earlier versions sent.
    requirement: null,
    analysis: null,
    answers: [],
    waits: [],
  });
  printed.clear();
  writeFileSync(onlyReceipt(), '{}');
  expect(await explain('R1', '--json')).toBe(0);
  expect(JSON.parse(printed.text).documents[0].kept.unknown).toContain('The receipt of batch');
});

test('as JSON; what nobody has sent from here ends with 1', async () => {
  await prepare();
  expect(await explain('R0', '--json')).toBe(0);
  expect(JSON.parse(printed.text)).toMatchObject({
    documents: [{ revisionId: 'R0', path: 'TR-1/A-1.pdf', share: 'tender' }],
    unseen: [],
  });
  printed.clear();
  expect(await explain('R9')).toBe(1);
  expect(printed.text).toContain('No document that was sent from here is known by "R9".');
});

test('a share that is not there is said', async () => {
  writeFileSync(
    configFile(),
    JSON.stringify({
      shares: [{ name: 'tender', folder: './away', project: { companyId: '1', projectId: '2' } }],
    }),
  );
  expect(await explain('R1')).toBe(1);
  expect(printed.text).toContain('Share tender is not looked at: it is not mounted here, or was never used.');
  expect(describeDocuments('x\u001b[2J', { documents: [], unseen: [] })).not.toContain('\u001b');
});
