// The server of the page with parts that a test gives it, listening for real.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createLoopbackAccess } from '../../../../client/console/access/loopback';
import { ROUTES } from '../../../../client/console/contract/routes';
import type { Me } from '../../../../client/console/contract/session';
import {
  type ConsoleServer,
  type ConsoleServerInput,
  createConsoleServer,
} from '../../../../client/console/serve/server';
import { createLogger, type LogRecord } from '../../../../workers/logging';

export interface ServerBed {
  readonly console: ConsoleServer;
  readonly origin: string;
  readonly records: LogRecord[];
  /** As the page asks: with the token, from its own origin. */
  readonly ask: (path: string, init?: RequestInit & { readonly json?: unknown }) => Promise<Response>;
  close(): Promise<void>;
}

export async function openServer({
  port = 0,
  ...given
}: Partial<ConsoleServerInput> & { readonly port?: number } = {}): Promise<ServerBed> {
  const folder = mkdtempSync(join(tmpdir(), 'page-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><head><title>t</title></head><body></body>');
  writeFileSync(join(folder, 'main-ABCDEFGH.js'), '// script');
  writeFileSync(join(folder, 'main-HGFEDCBA.css'), '/* style */');
  writeFileSync(join(folder, 'main-HGFEDCBA.css.gz'), gzipSync('/* style, as it was built */'));
  const records: LogRecord[] = [];
  const logger = createLogger({
    level: 'info',
    file: join(folder, 'log'),
    onEvent: record => records.push(record),
  });
  const console = createConsoleServer({
    routes: ROUTES,
    modules: [],
    access: createLoopbackAccess('A. Novák'),
    shares: () => ['tender'],
    logger,
    page: folder,
    prefix: '',
    isLoopback: true,
    key: Buffer.alloc(32, 9),
    version: '1',
    now: () => new Date(),
    ...given,
  });
  const origin = `http://127.0.0.1:${await console.listen('127.0.0.1', port)}`;
  let csrf: string | undefined;
  return {
    console,
    origin,
    records,
    ask: async (path, { json, headers, ...init } = {}) => {
      csrf ??= ((await (await fetch(`${origin}/api/me`)).json()) as Me).csrf;
      return await fetch(`${origin}${path}`, {
        ...init,
        ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
        headers: {
          origin,
          'x-drawbridge-csrf': csrf,
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(headers as Record<string, string>),
        },
      });
    },
    close: async () => {
      await console.close();
      rmSync(folder, { recursive: true });
    },
  };
}
