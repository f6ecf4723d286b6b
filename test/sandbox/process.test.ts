/** The stand-in as a process: kill -9 and restart, signals, its parent's end, taken ports. */
import { type ChildProcess, fork } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileSandbox, endOf, forkSandbox } from './compiled-sandbox';
import { SandboxControl } from './control';
import { COMPANY_HEADER, DEFAULT_CREDENTIALS } from './defaults';
import { type RawAnswer, send, sha256 } from './raw-client';

const MIB = 1024 * 1024;
const FREE_PORTS = ['--api-port', '0', '--auth-port', '0', '--storage-port', '0', '--control-port', '0'];

let compiled: ReturnType<typeof compileSandbox>;
let dataDir: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  compiled = compileSandbox();
});

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sandbox-data-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await endOf(child);
  }
  rmSync(dataDir, { recursive: true, force: true });
});

afterAll(() => compiled.dispose());

async function start(flags: string[] = FREE_PORTS) {
  const started = await forkSandbox(compiled.entry, [...flags, '--no-limits', '--time-scale', '100']);
  children.push(started.child);
  return started;
}

const kill = (child: ChildProcess) => {
  child.kill('SIGKILL');
  return endOf(child);
};

/** A restart must come up on the same addresses, since presigned ones outlive it. */
const portsOf = (urls: { apiUrl: string; authUrl: string; storageUrl: string; controlUrl: string }) =>
  Object.entries({
    api: urls.apiUrl,
    auth: urls.authUrl,
    storage: urls.storageUrl,
    control: urls.controlUrl,
  }).flatMap(([name, url]) => [`--${name}-port`, new URL(url).port]);

async function token(authUrl: string): Promise<string> {
  const { clientId, clientSecret } = DEFAULT_CREDENTIALS;
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await send('POST', `${authUrl}/oauth/token`, {
    headers,
    body: new URLSearchParams(form).toString(),
  });
  return answer.json.access_token;
}

function api(
  apiUrl: string,
  bearer: string,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: unknown,
): Promise<RawAnswer> {
  const headers = {
    authorization: `Bearer ${bearer}`,
    [COMPANY_HEADER]: '5001',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return send(method, `${apiUrl}${path}`, {
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

test('kill -9 loses nothing that was answered: tokens, uploads, segments, the log', async () => {
  const { child, urls } = await start([...FREE_PORTS, '--data-dir', dataDir]);
  const bearer = await token(urls.authUrl);
  const dm = '/rest/v2.0/companies/5001/projects/7001/document_management/document_uploads';
  const uploads = [{ file_name: 'big.dwg', mime_type: 'application/octet-stream' }];
  const [{ id }] = (await api(urls.apiUrl, bearer, 'POST', dm, { uploads })).json.data;
  const parts = [Buffer.alloc(5 * MIB + 1, 'one'), Buffer.from('two')];
  const files = '/rest/v2.1/companies/5001/projects/7001/uploads';
  const opened = await api(urls.apiUrl, bearer, 'POST', files, {
    file_name: 'big.dwg',
    file_size: parts[0]!.length + parts[1]!.length,
    content_type: 'application/octet-stream',
    sha256: sha256(Buffer.concat(parts)),
    segments: parts.map(part => ({ size: part.length, sha256: sha256(part) })),
  });
  const { upload_id: file, segments } = opened.json.data;
  const put = async (index: number) => {
    const { url, headers } = segments[index];
    return String((await send('PUT', url, { headers, body: parts[index]! })).headers.etag).replaceAll(
      '"',
      '',
    );
  };
  const first = await put(0);
  await kill(child);
  // As a crash in the middle of a write would leave it.
  appendFileSync(join(dataDir, 'state.jsonl'), '[{"kind":"upload","id":"torn');

  const again = await start([...portsOf(urls), '--data-dir', dataDir]);
  const second = await put(1);
  const patched = await api(urls.apiUrl, bearer, 'PATCH', `${files}/${file}`, {
    part_etags: [first, second],
  });
  expect(patched.json.data.status).toBe('complete');
  await until(
    async () => (await api(urls.apiUrl, bearer, 'GET', `${files}/${file}`)).json.data.status === 'available',
  );
  const link = { update_params: [{ id, file_upload_id: file, upload_status: 'COMPLETED' }] };
  expect((await api(urls.apiUrl, bearer, 'PATCH', dm, link)).json.data.success).toEqual([{ id }]);
  await kill(again.child);

  await start([...portsOf(urls), '--data-dir', dataDir]);
  const control = new SandboxControl(urls.controlUrl);
  expect(await control.uploads()).toMatchObject([{ id, status: 'COMPLETED', fileUploadId: file }]);
  expect(await control.requests()).toMatchObject({
    'storage.put': 2,
    'uploads.create': 1,
    'uploads.patch': 1,
  });
  expect((await control.operations()).map(({ what }) => what)).toContain('upload-completed');
});

test('no token and no secret is written to the data folder', async () => {
  const { urls } = await start([...FREE_PORTS, '--data-dir', dataDir]);
  const bearer = await token(urls.authUrl);
  await api(urls.apiUrl, bearer, 'GET', '/rest/v1.0/projects/7001/users');
  for (const file of ['state.jsonl', 'operations.jsonl']) {
    const text = readFileSync(join(dataDir, file), 'utf8');
    expect(text).not.toContain(bearer);
    expect(text).not.toContain(DEFAULT_CREDENTIALS.clientSecret);
  }
});

test('bytes are kept when asked for', async () => {
  const { urls } = await start([...FREE_PORTS, '--data-dir', dataDir, '--keep-bytes']);
  const bearer = await token(urls.authUrl);
  const bytes = Buffer.from('kept');
  const answer = await api(urls.apiUrl, bearer, 'POST', '/rest/v2.1/companies/5001/projects/7001/uploads', {
    file_name: 'a.dwg',
    file_size: bytes.length,
    content_type: 'application/octet-stream',
    sha256: sha256(bytes),
    segments: [{ size: bytes.length, sha256: sha256(bytes) }],
  });
  const { upload_id, segments } = answer.json.data;
  await send('PUT', segments[0].url, { headers: segments[0].headers, body: bytes });
  expect(readFileSync(join(dataDir, 'bytes', upload_id, '0'))).toEqual(bytes);
});

test('a damaged line in the middle is said aloud', async () => {
  writeFileSync(join(dataDir, 'state.jsonl'), '{broken\n[]\n[]\n');
  await expect(start([...FREE_PORTS, '--data-dir', dataDir])).rejects.toThrow(
    'line 1 of the sandbox journal is damaged',
  );
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it cleanly, open connections or not', async signal => {
  const { child, urls, output } = await start();
  await send('GET', `${urls.controlUrl}/settings`);
  child.kill(signal);
  expect(await endOf(child)).toEqual({ code: 0, signal: null });
  expect(output()).toContain(urls.apiUrl);
  expect(output()).toContain(DEFAULT_CREDENTIALS.clientId);
});

test('it ends when its parent does', async () => {
  const parent = fork(writeParent(dataDir), [compiled.entry, ...FREE_PORTS, '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(parent);
  const { pid } = await new Promise<{ pid: number }>(resolve =>
    parent.once('message', message => resolve(message as { pid: number })),
  );
  await kill(parent);
  await until(async () => !isAlive(pid));
});

test('a taken port is named', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(start(['--api-port', String(port)])).rejects.toThrow(
    `ended with 1: The stand-in service cannot start: port ${port} is taken`,
  );
  await new Promise(resolve => server.close(resolve));
});

/** A process that starts the stand-in, says its pid, and waits. */
function writeParent(folder: string): string {
  const path = join(folder, 'parent.js');
  writeFileSync(
    path,
    `const child = require('node:child_process').fork(process.argv[2], process.argv.slice(3), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
child.once('message', () => process.send({ pid: child.pid }));\n`,
  );
  return path;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error('it never held');
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
