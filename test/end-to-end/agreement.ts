// Receipts, revisions and folders must say the same; the judge of every end-to-end test.
import type { SandboxControl } from '../sandbox/control';
import type { Remark, Violation } from '../sandbox/operation-log';
import type { Rig } from '../setup/rig';

/** PDFs of a few bytes; the plain project asks nothing of them that the test share's defaults do not give. */
export function pdfs(count: number, sizeBytes = 0): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `sheet-${String(index).padStart(3, '0')}.pdf`,
      `%PDF ${index}`.padEnd(sizeBytes, 'x'),
    ]),
  );
}

/**
 * How each file ended, by path: `submitted`, or the code of its reason. Every file
 * once, with its own bytes and name.
 */
export async function expectAgreement(
  rig: Rig,
  hashes: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const rows = rig.receipts().flatMap(receipt => receipt.files);
  const revisions = (await rig.control.revisions()).filter(({ uploadId }) => uploadId !== null);
  const submitted = rows.filter(({ outcome }) => outcome === 'submitted');
  expect(rows).toHaveLength(hashes.size);
  expect(revisions).toHaveLength(submitted.length);
  expect(new Set(revisions.map(({ fileName }) => fileName)).size).toBe(revisions.length);
  for (const { path, revisionId, uploadId } of submitted) {
    const revision = revisions.find(each => each.uploadId === uploadId)!;
    expect(revision).toMatchObject({ fileName: path, name: path, sha256: hashes.get(path) });
    if (revisionId !== null) expect(revision.id).toBe(revisionId);
  }
  expect(rig.filesIn('done')).toHaveLength(submitted.length);
  expect(rig.filesIn('attention')).toHaveLength(rows.length - submitted.length);
  expect(rig.filesIn('drop')).toEqual([]);
  expect(await rig.control.violations()).toEqual([]);
  return new Map(
    rows.map(row => [
      row.path,
      row.outcome === 'submitted' ? 'submitted' : (row.reason?.code ?? row.outcome),
    ]),
  );
}

/**
 * The service objects to nothing, and remarks nothing that a careful client has no reason for.
 * @param excused what a fault or a person of the test gives reason for; whoever names one says which.
 */
export async function expectNoRemark(
  control: SandboxControl,
  excused: readonly (Remark | Violation)[] = [],
): Promise<void> {
  const remarks = (await control.operations()).filter(({ kind }) => kind === 'remark');
  const all = [...(await control.violations()), ...remarks];
  expect(all.filter(({ what }) => !excused.some(each => each === what))).toEqual([]);
}

/** At the end of a test, however it ended; its rig is closed in any case. */
export async function closeWithoutRemark(
  rig: Rig,
  excused: readonly (Remark | Violation)[] = [],
): Promise<void> {
  try {
    await expectNoRemark(rig.control, excused);
  } finally {
    await rig.close();
  }
}
