// Documents about to be sent and of the ledger, for the tests of what is decided about them.
import type { Candidate, Earlier } from '../../../../activities/ledger/decide/candidate';

export function aCandidate(changes: Partial<Candidate> = {}): Candidate {
  return {
    batchId: '20260601-120000-bbbbbb',
    index: 0,
    path: 'TR-0143/A-101.pdf',
    name: 'A-101',
    sha256: 'bytes-1',
    mimeType: 'application/pdf',
    ...changes,
  };
}

/** The same file, sent before. */
export function anEarlier(changes: Partial<Earlier> = {}): Earlier {
  return {
    path: 'TR-0142/A-101.pdf',
    name: 'A-101',
    number: null,
    revision: null,
    said: { number: null, revision: null },
    sha256: 'bytes-1',
    mimeType: 'application/pdf',
    submittedAtMs: Date.UTC(2026, 4, 3, 12),
    revisionId: 'R1',
    job: { id: 'J1', name: 'TR-0142' },
    batchId: '20260503-120000-aaaaaa',
    ...changes,
  };
}
