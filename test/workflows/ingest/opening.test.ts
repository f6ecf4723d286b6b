// What a batch tells that cannot be opened: whoever looks on, at the log or the Temporal UI, sees why.
import { Opening } from '../../../workflows/ingest/opening';

const mockLogged: object[] = [];
const mockShown: string[] = [];

jest.mock('@temporalio/workflow', () => ({
  ...jest.requireActual<object>('@temporalio/workflow'),
  log: {
    warn: (text: string, attributes: object) => mockLogged.push({ text, ...attributes }),
    info: (text: string, attributes: object) => mockLogged.push({ text, ...attributes }),
  },
  setCurrentDetails: (text: string) => mockShown.push(text),
  setHandler: () => undefined,
}));

const REASON = { code: 'MISCONFIGURED', text: 'done is on another disk.', fix: 'Mount it there.' };
const OTHER = { ...REASON, text: 'The key of the share differs.' };

test('a batch that cannot be opened says why, once for each reason, and that it goes on', () => {
  const opening = new Opening({ share: 'tender', batchId: 'b-1' });
  opening.unblock();
  opening.block(REASON, 1_000);
  opening.block(REASON, 2_000);
  opening.block(OTHER, 3_000);
  opening.unblock();
  const about = { share: 'tender', batchId: 'b-1' };
  expect(mockLogged).toEqual([
    { text: 'Batch b-1 waits: done is on another disk.', ...about, event: 'batch-blocked', reason: REASON },
    { text: `Batch b-1 waits: ${OTHER.text}`, ...about, event: 'batch-blocked', reason: OTHER },
    { text: 'Batch b-1 goes on', ...about, event: 'batch-resumed' },
  ]);
  expect(mockShown[0]).toContain('Waiting:** done is on another disk. Mount it there.');
  expect(mockShown.at(-1)).not.toContain('Waiting');
});
