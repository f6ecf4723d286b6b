// What `submit` says of the batches that it waited for.
import { describeSummary } from '../../../client/commands/submit';

const batch = { batchId: '20260131-093000-k3f9a2', submitted: 1, setApart: 0, receipts: [] };
const share = { folder: '/mnt/tender' };

test.each([
  [{ receipts: ['done/A/receipt.csv'] }, '1 submitted\n  receipt: /mnt/tender/done/A/receipt.csv'],
  [{ setApart: 2, skipped: 3 }, '1 submitted, 2 set apart, 3 skipped'],
  [{ idsNotTold: 1 }, '1 submitted, the ids of 1 not told'],
  [{ submitted: 0, movedTo: '7002' }, 'goes on in project 7002'],
])('%j', (of, told) => {
  expect(describeSummary({ ...batch, ...of }, share)).toBe(`batch 20260131-093000-k3f9a2: ${told}`);
});
