// `drawbridge proof` and `drawbridge verify`, from a settled share to whatever may happen to the file.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Share } from '../../../activities/share/share';
import { main } from '../../../client/main';
import { packProof, unpackProof } from '../../../client/proof/proof-archive';
import { verifyProof } from '../../../client/proof/verify-proof';
import type { UploadId } from '../../../workflows/contract';
import type { DocumentOutcome } from '../../../workflows/ingest/ingest-contract';
import { submitted } from '../../activities/share/share-test-bed';
import { usePrinted } from '../../setup/printed';
import { useTemporaryFolder } from '../../setup/temporary-folder';
import { openTender } from '../open-tender';

const folder = useTemporaryFolder();
const printed = usePrinted();

const configFile = () => join(folder(), 'drawbridge.json');
const inFolder = (name: string) => join(folder(), name);
const run = (...args: string[]) => main(['--config', configFile(), ...args], 'drawbridge');

async function claimJob(share: Share, job: string): Promise<string> {
  const paths: string[] = [];
  for await (const { path } of share.scan()) paths.push(path);
  const { batch } = await share.claim(paths.sort(), { job: await share.openJob(job) });
  const sealed = batch && (await share.writeManifest(batch));
  if (sealed?.batchId === undefined) throw new Error('nothing was claimed');
  return sealed.batchId;
}

/** A job of two documents; the answer to the second one was lost. */
async function settle(share: Share, job: string): Promise<void> {
  mkdirSync(join(share.dropFolder, job), { recursive: true });
  for (const name of ['A-1.pdf', 'A-2.pdf']) writeFileSync(join(share.dropFolder, job, name), job + name);
  const batchId = await claimJob(share, job);
  const lost: DocumentOutcome = {
    index: 1,
    kind: 'submitted',
    uploadId: 'U1' as UploadId,
    revisionId: null,
    paired: 'unknown',
    submittedAtMs: 1_000,
    stored: [],
  };
  await share.settleUp(batchId, [submitted(0), lost], { final: true });
  const [open] = await share.openJobs();
  if (open === undefined) throw new Error('no job');
  await share.closeJob(open.record);
  await share.settleJob(open.record.jobId);
}

async function proveOne(): Promise<Buffer> {
  await settle(await openTender(folder()), 'TR-1');
  expect([await run('proof', 'TR-1', '-o', inFolder('p.zip')), printed.text]).toEqual([
    0,
    expect.any(String),
  ]);
  return readFileSync(inFolder('p.zip'));
}

test('a job is proven, and verified with the key that was told', async () => {
  await proveOne();
  expect(printed.text).toContain('1 of its documents have no revision id');
  const [key = ''] = /[0-9a-f]{64}/.exec(printed.text) ?? [];
  printed.clear();
  expect(await run('verify', inFolder('p.zip'), '--key', key)).toBe(0);
  expect(printed.text).toContain('p.zip is as it was made, by drawbridge ');
  expect(printed.text).toContain('"TR-1" on share tender');
  expect(printed.text).toContain('no revision id is known of A-2.pdf');
  expect(printed.text).toContain(`${key}, the one that you trust`);
  printed.clear();
  expect(await run('verify', inFolder('p.zip'), '--key', '0'.repeat(64))).toBe(1);
  expect(printed.text).toContain('signed with another key');
});

test('the documents are proven by sha256sum alone', async () => {
  const { files } = unpackProof(await proveOne());
  writeFileSync(inFolder('share/done/TR-1/SHA256SUMS'), files.get('SHA256SUMS') ?? '');
  const cwd = inFolder('share/done/TR-1');
  expect(execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd, encoding: 'utf8' })).toBe(
    'A-1.pdf: OK\nA-2.pdf: OK\n',
  );
  expect(Buffer.from(files.get('receipt.json') ?? '')).toEqual(readFileSync(join(cwd, 'receipt.json')));
  expect(Buffer.from(files.get('receipt.csv') ?? '')).toEqual(readFileSync(join(cwd, 'receipt.csv')));
});

test('made again it is the same to the byte; another file is not written over', async () => {
  const first = await proveOne();
  expect(await run('proof', 'TR-1', '-o', inFolder('p.zip'))).toBe(0);
  expect(await run('proof', 'TR-1', '-o', inFolder('again.zip'))).toBe(0);
  expect(readFileSync(inFolder('again.zip')).equals(first)).toBe(true);
  writeFileSync(inFolder('mine.zip'), 'mine');
  expect(await run('proof', 'TR-1', '-o', inFolder('mine.zip'))).toBe(2);
  expect(readFileSync(inFolder('mine.zip'), 'utf8')).toBe('mine');
  expect(readdirSync(folder()).filter(name => name.includes('.part'))).toEqual([]);
});

test('each proof names the one before it', async () => {
  await proveOne();
  await settle(await openTender(folder()), 'TR-2');
  expect(await run('proof', 'TR-2', '-o', inFolder('q.zip'))).toBe(0);
  expect(await run('verify', inFolder('q.zip'), '--before', inFolder('p.zip'))).toBe(0);
  expect(await run('verify', inFolder('p.zip'), '--before', inFolder('q.zip'))).toBe(1);
  expect(printed.text).toContain('is not the one that it names');
});

test('a link of the chain that was changed on the share stops the next proof', async () => {
  await proveOne();
  const [chain = ''] = readdirSync(inFolder('share/.drawbridge/proofs'));
  writeFileSync(join(folder(), 'share/.drawbridge/proofs', chain, '00000001.json'), '{}');
  expect(await run('proof', 'TR-1', '-o', inFolder('q.zip'))).toBe(1);
  expect(printed.text).toContain('Proof 1 in the chain of proofs on this share is missing or was changed.');
});

test('what is on its way, or not there, is not proven', async () => {
  const share = await openTender(folder());
  mkdirSync(join(share.dropFolder, 'TR-9'), { recursive: true });
  writeFileSync(join(share.dropFolder, 'TR-9', 'a.pdf'), 'a');
  await claimJob(share, 'TR-9');
  expect(await run('proof', 'TR-9', '-o', inFolder('p.zip'))).toBe(1);
  expect(printed.text).toContain('has no receipt yet');
  expect(await run('proof', 'TR-10', '-o', inFolder('p.zip'))).toBe(1);
  expect(printed.text).toContain('has no job "TR-10"');
});

test('each byte that is flipped anywhere is found; in a file of it, by its name', async () => {
  const whole = await proveOne();
  expect(verifyProof(whole)).toMatchObject({ isWhole: true, faults: [] });
  const { files } = unpackProof(whole);
  const ranges = [...files].map(([name, content]) => ({ name, from: whole.indexOf(content), content }));
  const missed: string[] = [];
  // Another bit each time: every third byte of what holds the files together, and some of each file.
  for (let at = 0; at < whole.length; at += 1) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    const { isWhole, faults } = verifyProof(flipped);
    const inside = ranges.find(({ from, content }) => from <= at && at < from + content.length);
    const isNamed = inside === undefined || faults.some(fault => fault.includes(inside.name));
    if (isWhole || faults.length === 0 || !isNamed) missed.push(`${at} ${inside?.name} ${faults}`);
  }
  expect(missed).toEqual([]);
});

test('what was lost, added or cut off is named', async () => {
  const whole = await proveOne();
  const { files } = unpackProof(whole);
  for (const name of files.keys()) {
    const less = new Map([...files].filter(([other]) => other !== name));
    expect(verifyProof(packProof(less)).faults).toContain(`${name} is missing.`);
  }
  const more = packProof(new Map(files).set('more.txt', Buffer.from('more')));
  expect(verifyProof(more).faults).toEqual(['more.txt was added: the proof does not list it.']);
  for (const bytes of [whole.subarray(0, -1), Buffer.concat([whole, Buffer.from('x')]), Buffer.alloc(0)])
    expect(verifyProof(bytes).isWhole).toBe(false);
});

test('no secret of this host is in it, and the key is for its owner alone', async () => {
  const proof = (await proveOne()).toString('latin1');
  const secrets = ['share-key', 'proof-key.pem'].map(name => readFileSync(inFolder(`state/${name}`), 'utf8'));
  for (const secret of secrets) {
    const lines = secret.split('\n').filter(line => line.length > 20);
    expect(lines.filter(line => proof.includes(line.slice(0, 60)))).toEqual([]);
  }
  expect(proof).not.toContain('PRIVATE');
  expect(statSync(inFolder('state/proof-key.pem')).mode & 0o077).toBe(0);
});
