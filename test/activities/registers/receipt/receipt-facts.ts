import type { ReceiptFacts } from '../../../../activities/registers/receipt/receipt-about';
import { tallyOutcomes } from '../../../../activities/registers/words/outcome-words';

export const receiptFacts = (overrides: Partial<ReceiptFacts> = {}): ReceiptFacts => ({
  jobId: 'tr-0142-k3f9a2',
  jobName: 'TR-0142 Structural',
  share: 'tender',
  tally: tallyOutcomes(['through', 'held']),
  writtenAt: '2026-04-03T14:20:00.000Z',
  zone: 'Europe/Berlin',
  isFinal: true,
  ignored: [],
  ...overrides,
});
