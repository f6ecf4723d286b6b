// The log's second net: what looks like a secret does not reach a line, however it came into the record.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { createLogger, describeError, type LogRecord, redactLine } from '../../workers/logging';
import { startCpuTimer } from '../setup/cpu-time';
import { useTemporaryFolder } from '../setup/temporary-folder';

const folder = useTemporaryFolder();
const CANARY = 'canary-5f2e9c71';

function logged(write: (logger: ReturnType<typeof createLogger>) => void, level = 'trace'): string {
  const file = join(folder(), 'logs', 'drawbridge.log');
  write(createLogger({ level, file }));
  return readFileSync(file, 'utf8');
}

describe('a log line', () => {
  const leaks: readonly [name: string, fields: object, message: string][] = [
    ['a header', { headers: { authorization: `Bearer ${CANARY}` } }, ''],
    ['a header in any case', { headers: { Authorization: CANARY } }, ''],
    ['a cookie', { headers: { 'set-cookie': CANARY } }, ''],
    ['an access token', { answer: { access_token: CANARY } }, ''],
    ['a refresh token, camel case', { refreshToken: CANARY }, ''],
    ['a bare token', { token: CANARY }, ''],
    ['a client secret', { config: { clientSecret: CANARY } }, ''],
    ['a value with quotes in it', { password: `"${CANARY}\\"${CANARY}` }, ''],
    ['a bearer in the message', {}, `sent Bearer ${CANARY}.${CANARY}`],
    ['a presigned address', { url: `https://store.example.com/a/b?sig=${CANARY}&x=1` }, ''],
    ['a presigned address in a message', {}, `PUT https://store.example.com/a?X-Sig=${CANARY} failed`],
    ['a password in an address', { url: `https://me:${CANARY}@example.com/` }, ''],
    ['a form body', { body: `grant_type=x&client_secret=${CANARY}&y=1` }, ''],
    ['an error message', { err: new Error(`refused by https://store.example.com/a?s=${CANARY}`) }, ''],
    [
      'what an error drags along',
      { err: Object.assign(new Error('failed'), { request: { body: CANARY }, socket: CANARY }) },
      '',
    ],
    ['a cause', { err: new Error('outer', { cause: new Error(`Bearer ${CANARY}`) }) }, ''],
  ];

  test.each(leaks)('does not give away %s', (_name, fields, message) => {
    const line = logged(logger => logger.info(fields, message));
    expect(line).not.toContain(CANARY);
    expect(() => JSON.parse(line)).not.toThrow();
  });

  test('keeps what may be read of an address and of an error', () => {
    const error = Object.assign(new Error('refused'), { code: 'ECONNRESET', status: 503, effect: 'unknown' });
    const line = logged(logger =>
      logger.warn({ url: 'https://store.example.com/a/b?sig=x', err: error }, 'oops'),
    );
    expect(JSON.parse(line)).toMatchObject({
      level: 'warn',
      msg: 'oops',
      url: 'https://store.example.com/a/b?[redacted]',
      err: { message: 'refused', code: 'ECONNRESET', status: 503, effect: 'unknown' },
    });
  });

  test('stays one line, whatever a file is called', () => {
    const path = 'a\nb\r\u001b[31mred\u202egpj.exe\u2028c';
    const text = logged(logger => logger.info({ path }, path));
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not be there.
    expect(text.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/);
    expect(JSON.parse(text)).toMatchObject({ path });
  });

  test('is cut where a name or a text has no end', () => {
    const line = JSON.parse(
      logged(logger => logger.info({ path: 'n'.repeat(1_000), why: 'w'.repeat(9_000) }, '')),
    );
    expect(line.path).toBe(`${'n'.repeat(300)}… (1000 characters)`);
    expect(line.why).toHaveLength(4_000 + '… (9000 characters)'.length);
  });

  test('goes to a file that only its owner may read', () => {
    logged(logger => logger.info('x'));
    expect(statSync(join(folder(), 'logs', 'drawbridge.log')).mode & 0o777).toBe(0o600);
  });

  test('survives big numbers and circles', () => {
    const circle: Record<string, unknown> = { size: 12n };
    circle.self = circle;
    expect(() => JSON.parse(logged(logger => logger.info({ circle }, 'x')))).not.toThrow();
  });
});

describe('redaction of a finished line', () => {
  test('leaves harmless members alone', () => {
    const line = '{"generation":3,"tokenGeneration":4,"path":"secret plans.pdf","asked":"token?"}';
    expect(redactLine(line)).toBe(line);
  });

  test('masks the signature of an address that arrived damaged', () => {
    const line = '{"why":"see https:-/storage.example/a?X-Amz-Signature=canary&y=2"}';
    expect(redactLine(line)).toBe('{"why":"see https:-/storage.example/a?X-Amz-Signature=[redacted]&y=2"}');
  });

  test('takes time in proportion to the line', () => {
    const cpuMs = startCpuTimer();
    redactLine(`{"a":"${'https://x.example.com/a'.repeat(20_000)}","b":"${'\\"'.repeat(200_000)}"}`);
    expect(cpuMs()).toBeLessThan(2_000);
  });
});

describe('an error in a log', () => {
  test('is followed three causes deep, circles included', () => {
    const error: Error & { cause?: unknown } = new Error('round');
    error.cause = error;
    expect(JSON.stringify(describeError(error)).match(/"message":"round"/g)).toHaveLength(4);
  });

  test('may be anything that was thrown', () => {
    expect(describeError('text')).toBe('text');
    expect(describeError(undefined)).toBe('undefined');
  });
});

describe('a live view', () => {
  test('sees every record with an event, also those that the file leaves out', () => {
    const seen: LogRecord[] = [];
    const file = join(folder(), 'quiet.log');
    const logger = createLogger({ level: 'warn', file, onEvent: record => void seen.push(record) });
    logger.info({ event: 'document', path: 'a.pdf', token: CANARY }, 'sent');
    logger.info('no event');
    logger.warn({ event: 'share-away' }, 'away');
    expect(seen.map(record => record.event)).toEqual(['document', 'share-away']);
    expect(JSON.stringify(seen)).not.toContain(CANARY);
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1);
  });
});
