// A share with a ledger, and documents for it.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Seals } from '../../../../activities/share/files/seals';
import { createNodeShareFs, type ShareFs } from '../../../../activities/share/files/share-fs';
import type { ShareLayout } from '../../../../activities/share/files/share-layout';
import type { LedgerContent, LedgerEntry } from '../../../../activities/share/ledger/ledger-record';
import { ShareLedger } from '../../../../activities/share/ledger/share-ledger';
import { resolveLayout } from '../../../../activities/share/resolve-layout';
import { createTestBed, SHARE_KEY, type TestBed } from '../share-test-bed';

export const BATCH = '20260131-093000-k3f5a2';

export interface LedgerBed extends TestBed {
  readonly layout: ShareLayout;
  readonly bad: string[];
  ledger(fs?: ShareFs, share?: string): ShareLedger;
  append(batchId: string, content: LedgerContent, fs?: ShareFs): ReturnType<ShareLedger['append']>;
  /** As a version without a ledger leaves the share. */
  forgetLedger(): Promise<void>;
  /** Below `.drawbridge/ledger`. */
  ledgerPath(file: string): string;
}

// Many syncs: in memory where the system has a place for that.
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export async function createLedgerBed(): Promise<LedgerBed> {
  const bed = await createTestBed(PLACE);
  const fs = createNodeShareFs();
  const layout = await resolveLayout(bed.config, fs, new Seals(SHARE_KEY), 'all');
  const bad: string[] = [];
  const ledger = (own = fs, share = 'tender') => new ShareLedger(share, () => ({ ...layout, fs: own }));
  return {
    ...bed,
    layout,
    bad,
    ledger,
    append: async (batchId, content, own) =>
      ledger(own).append(batchId, content, (name, why) => bad.push(`${name}: ${why}`)),
    forgetLedger: async () => rm(join(bed.root, '.drawbridge/ledger'), { recursive: true }),
    ledgerPath: file => join(bed.root, '.drawbridge/ledger', file),
  };
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function anEntry(index: number, changes: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    index,
    path: `Package A/A-${index}.pdf`,
    sha256: sha256Of(`A-${index}`),
    sizeBytes: 100 + index,
    mimeType: 'application/pdf',
    name: `A-${index}.pdf`,
    number: `A-${index}`,
    revision: 'P01',
    said: { number: null, revision: null },
    uploadId: `U${index}`,
    revisionId: `R${index}`,
    submittedAtMs: Date.UTC(2026, 0, 31, 9, 30) + index,
    ...changes,
  };
}

export function aContent(...entries: readonly LedgerEntry[]): LedgerContent {
  return {
    share: 'tender',
    project: { companyId: '1', projectId: '2' },
    job: { id: 'J1', name: 'TR-0142' },
    entries: [...entries],
  };
}
