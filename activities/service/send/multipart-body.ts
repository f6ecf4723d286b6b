// Bodies that carry files, as observations take them: multipart/form-data, streamed part by part in constant
// memory. Each attempt opens every file anew, and what a file gives is counted against what was declared.
import { randomUUID } from 'node:crypto';

/** A file that travels in a multipart body. */
export interface FilePart {
  /** The form field's name, `attachments[]`. */
  readonly field: string;
  /** As people named it. */
  readonly fileName: string;
  readonly contentType: string;
  /** What `open` must give, to the byte. */
  readonly sizeBytes: number;
  /** Called once for each attempt. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** A body whose length is known before its bytes are. */
export interface StreamedBody {
  readonly sizeBytes: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

/**
 * A file gave more or fewer bytes than were declared: it changed while it was sent. Nothing whole was sent.
 */
export class SourceChangedError extends Error {
  readonly code = 'SOURCE_CHANGED';

  constructor(fileName: string) {
    super(`"${fileName}" changed while it was sent`);
    this.name = 'SourceChangedError';
  }
}

/**
 * `fields` as form fields, nested the way the service reads them (`observation[name]`, `observation[ids][]`),
 * and then the files in order. Null is sent as an empty text, `undefined` not at all.
 */
export function encodeMultipart(
  fields: unknown,
  files: readonly FilePart[],
): { readonly contentType: string; readonly body: StreamedBody } {
  const boundary = `drawbridge-${randomUUID()}`;
  const head = Buffer.from(
    flatten(fields)
      .map(
        ([name, text]) =>
          `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${text}\r\n`,
      )
      .join(''),
  );
  const heads = files.map(file =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(file.field)}"; filename="${quoted(file.fileName.normalize('NFC'))}"\r\n` +
        `Content-Type: ${quoted(file.contentType)}\r\n\r\n`,
    ),
  );
  const partEnd = Buffer.from('\r\n');
  const end = Buffer.from(`--${boundary}--\r\n`);
  const sizeBytes = files.reduce(
    (sum, file, index) => sum + (heads[index]?.length ?? 0) + file.sizeBytes + partEnd.length,
    head.length + end.length,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      sizeBytes,
      open: async function* () {
        yield head;
        for (const [index, file] of files.entries()) {
          yield heads[index] ?? Buffer.alloc(0);
          yield* counted(file);
          yield partEnd;
        }
        yield end;
      },
    },
  };
}

async function* counted(file: FilePart): AsyncGenerator<Uint8Array> {
  let left = file.sizeBytes;
  for await (const chunk of file.open()) {
    left -= chunk.length;
    if (left < 0) throw new SourceChangedError(file.fileName);
    yield chunk;
  }
  if (left > 0) throw new SourceChangedError(file.fileName);
}

function flatten(value: unknown, name = ''): readonly (readonly [name: string, text: string])[] {
  if (value === undefined) return [];
  if (value === null) return [[name, '']];
  if (Array.isArray(value)) return value.flatMap(entry => flatten(entry, `${name}[]`));
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([key, inner]) =>
      flatten(inner, name === '' ? key : `${name}[${key}]`),
    );
  }
  return [[name, String(value)]];
}

/** As browsers do it: what would end the quotes or the line is written as a percent code. */
function quoted(text: string): string {
  return text.replace(/["\r\n]/g, character => encodeURIComponent(character));
}
