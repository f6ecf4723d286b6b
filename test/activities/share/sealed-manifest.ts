// A batch's manifest as a watcher with this key seals it.
import { Seals } from '../../../activities/share/files/seals';

/** One small file of a share `tender`, as text. */
export function sealedManifest(batchId: string, key: Buffer): string {
  const file = { index: 0, path: 'a.pdf', sizeBytes: 1, mtimeNs: '1', sha256: 'a'.repeat(64) };
  const manifest = {
    version: 1,
    batchId,
    share: 'tender',
    project: { companyId: '1', projectId: '2' },
    createdAt: '2026-01-31T09:30:00.000Z',
    files: [{ ...file, mimeType: 'application/pdf', values: {} }],
  };
  const seals = new Seals(key);
  const seal = seals.of('manifest', JSON.stringify(manifest));
  return JSON.stringify({ ...manifest, seal, sealedBy: seals.keyId });
}
