// The zip of a proof: the same bytes for the same content, whoever makes it and when. Its files are stored as
// they are, in the order of their names, so the whole archive follows from them, and a byte of it that was
// changed is found by making it once more.
import { unzipSync, zipSync } from 'fflate';

export type ProofFiles = ReadonlyMap<string, Uint8Array>;

export function packProof(files: ProofFiles): Buffer {
  const names = [...files.keys()].sort((one, other) => (one < other ? -1 : 1));
  const entries = names.map(name => [name, files.get(name) ?? new Uint8Array()] as const);
  // The first day that a zip knows, by the calendar of whoever makes it: the same digits everywhere.
  return Buffer.from(zipSync(Object.fromEntries(entries), { level: 0, mtime: new Date(1980, 0, 1) }));
}

export interface UnpackedProof {
  readonly files: ProofFiles;
  /** What is wrong with the archive itself, whatever its files say; undefined when nothing is. */
  readonly fault: string | undefined;
}

export function unpackProof(bytes: Uint8Array): UnpackedProof {
  let files: ProofFiles;
  try {
    const isStored = (file: { readonly compression: number; readonly size: number; originalSize: number }) =>
      file.compression === 0 && file.size === file.originalSize;
    files = new Map(Object.entries(unzipSync(bytes, { filter: isStored })));
  } catch {
    return { files: new Map(), fault: 'The archive is damaged: its list of files cannot be read.' };
  }
  return { files, fault: findFault(bytes, files) };
}

function findFault(bytes: Uint8Array, files: ProofFiles): string | undefined {
  const again = packProof(files);
  if (again.equals(bytes)) return undefined;
  const at = again.findIndex((byte, index) => byte !== bytes[index]);
  const where = at < 0 ? Math.min(again.length, bytes.length) : at;
  return `What holds the files together is not as Drawbridge writes it, from byte ${where} on.`;
}
