// Receipts, revisions and folders must say the same; the judge of every end-to-end test.
import type { SandboxControl } from '../sandbox/control';
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
 * For where nothing went wrong: the service objects to nothing, and remarks nothing that a careful client has
 * no reason for.
 */
export async function expectNoRemark(control: SandboxControl): Promise<void> {
  const remarks = (await control.operations()).filter(({ kind }) => kind === 'remark');
  expect([...(await control.violations()), ...remarks]).toEqual([]);
}
