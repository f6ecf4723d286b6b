// Secrets stay where they belong: no token, client secret or presigned query in a history, a
// log, a receipt or on the share.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils';
import { DEFAULT_CREDENTIALS } from '../sandbox/defaults';
import { Rig } from '../setup/rig';
import { closeWithoutRemark } from './agreement';

jest.setTimeout(120_000);

test('canaries are found nowhere after a batch with every kind of trouble', async () => {
  const rig = await Rig.start();
  try {
    await rig.startWatcher();
    await rig.startWorker();
    const faults = [
      { route: 'files.create', action: { kind: 'status', status: 401, reasonCode: 'INVALID_TOKEN' } },
      { route: 'storage.put', times: 2, action: { kind: 'expired-url' } },
      { route: 'storage.put', skip: 4, action: { kind: 'status', status: 500 } },
      { route: 'uploads.patch', action: { kind: 'status', status: 500, reasonCode: 'INTERNAL_ERROR' } },
      { route: 'revisions.create', action: { kind: 'html', status: 502 } },
      { route: 'uploads.create', action: { kind: 'redirect' } },
      { route: 'oauth.token', skip: 1, action: { kind: 'malformed', body: '{"access_token":' } },
    ] as const;
    for (const fault of faults) await rig.control.addFault(fault);
    rig.dropFiles(
      Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`s-${index}.pdf`, `%PDF ${index}`])),
    );
    await rig.untilSettled(6);
    await rig.stopWatcher();
    await rig.stopWorker();

    const stores = filesBelow(join(rig.folder, 'state', 'tokens'));
    const tokens = stores.flatMap(text =>
      [...text.matchAll(/"(?:access|refresh)Token":\s*"([^"]+)"/g)].map(match => match[1]!),
    );
    expect(tokens.length).toBeGreaterThan(0);
    const canaries = [DEFAULT_CREDENTIALS.clientSecret, ...tokens];
    const presigned = new RegExp(`${new URL(rig.sandbox.storageUrl).host}/[^\\s"'\\\\]*\\?`);

    const places: [string, string][] = [
      ...rig.handles().map((_, index) => [`history ${index}`, ''] as [string, string]),
      ...filesBelow(join(rig.folder, 'share')).map(
        (text, index) => [`share file ${index}`, text] as [string, string],
      ),
      ['log', readFileSync(rig.logFile, 'utf8')],
      ['temporal log', readFileSync(join(rig.folder, 'temporal.log'), 'utf8')],
      ['arguments', process.argv.join(' ')],
    ];
    for (const [index, handle] of rig.handles().entries()) {
      places[index]![1] = withDecodedPayloads(historyToJSON(await handle.fetchHistory()));
    }
    expect(places[0]![1]).toContain('s-0.pdf');
    for (const [place, text] of places) {
      for (const canary of canaries) expect([place, text.includes(canary)]).toEqual([place, false]);
      expect([place, presigned.test(text)]).toEqual([place, false]);
    }
  } finally {
    await closeWithoutRemark(rig);
  }
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

/** Payload data is Base64 in the JSON form: a canary would hide in it. */
function withDecodedPayloads(json: string): string {
  return json.replace(/"data":\s*"([A-Za-z0-9+/=]+)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );
}
