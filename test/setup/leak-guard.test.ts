// What a test file leaves open is seen, whatever other files had left open before it.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Opened {
  begins(counts: ReadonlyMap<string, number>): void;
  ends(name: string, counts: ReadonlyMap<string, number>): void;
  sees(counts: ReadonlyMap<string, number>): void;
  namesOf(kind: string): string[];
}
const { OpenedBy } = require('./leak-guard.cjs') as { OpenedBy: new () => Opened };

const counts = (servers: number, sockets: number) =>
  new Map([
    ['TCPServerWrap', servers],
    ['TCPSocketWrap', sockets],
  ]);

test('what stays open names the test that opened it, and none that has closed its own, were it later', () => {
  const opened = new OpenedBy();
  const test = (name: string, before: Map<string, number>, after: Map<string, number>) => {
    opened.begins(before);
    opened.ends(name, after);
  };
  test('closes', counts(1, 0), counts(1, 0));
  test('closes a moment later', counts(1, 0), counts(2, 1));
  test('leaks', counts(1, 0), counts(2, 0));
  test('has nothing to do with it', counts(2, 0), counts(2, 0));
  test('closes what another has opened', counts(2, 0), counts(2, 0));
  expect(opened.namesOf('TCPServerWrap')).toEqual(['leaks']);
  expect(opened.namesOf('TCPSocketWrap')).toEqual([]);
  // A server for all tests, begun by the first that needs it, is closed after the last.
  opened.sees(counts(1, 0));
  expect(opened.namesOf('TCPServerWrap')).toEqual([]);
});

test('servers, sockets, processes and watchers that are open are named, and no more once they are closed', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'open-and-close.cjs')]);
  expect(JSON.parse(stdout)).toEqual({
    open: ['1 TCPServerWrap', '2 TCPSocketWrap', '1 ProcessWrap', '1 FSEventWrap'],
    openToWhoComesLater: [],
    closed: [],
  });
});
