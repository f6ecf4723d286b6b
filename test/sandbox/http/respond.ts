/** Writing answers, whole or spoiled. */
import type { ServerResponse } from 'node:http';
import type { Answer } from './answer';

/** What becomes of a request in the end. */
export type Fate =
  | { kind: 'answered'; answer: Answer }
  /** Ends in the middle of the body. */
  | { kind: 'cut-off'; answer: Answer }
  /** The connection ends without a byte. */
  | { kind: 'dropped' }
  /** Nothing happens until the client gives up. */
  | { kind: 'left-hanging' };

/** The status that a client gets to see in full, or null. */
export function statusOf(fate: Fate, response: ServerResponse): number | null {
  if (fate.kind !== 'answered' || response.destroyed || response.socket?.destroyed === true) return null;
  return fate.answer.status;
}

export function respond(
  response: ServerResponse,
  fate: Fate,
  headers: Readonly<Record<string, string>>,
): void {
  if (response.destroyed) return;
  switch (fate.kind) {
    case 'left-hanging':
      return;
    case 'dropped':
      response.socket?.destroy();
      return;
    case 'answered': {
      const { body, contentType } = bodyOf(fate.answer);
      response.writeHead(fate.answer.status, headersOf(fate.answer, headers, body, contentType));
      response.end(body);
      return;
    }
    case 'cut-off': {
      const { body, contentType } = bodyOf(fate.answer);
      response.writeHead(fate.answer.status, headersOf(fate.answer, headers, body, contentType));
      response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.destroy());
    }
  }
}

function headersOf(
  answer: Answer,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  contentType: string | null,
): Record<string, string> {
  return {
    ...headers,
    ...(contentType === null ? {} : { 'Content-Type': contentType }),
    'Content-Length': String(body.length),
    ...answer.headers,
  };
}

function bodyOf({ json, text }: Answer): { body: Buffer; contentType: string | null } {
  if (text !== undefined) return { body: Buffer.from(text.body), contentType: text.contentType };
  if (json === undefined) return { body: Buffer.alloc(0), contentType: null };
  return { body: Buffer.from(JSON.stringify(json)), contentType: 'application/json; charset=utf-8' };
}
