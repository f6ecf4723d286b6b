// Files of observations: what was looked at is what is sent, whatever somebody does to the folder meanwhile.
import { createHash } from 'node:crypto';
import { appendFile, link, mkdir, open, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createObservationFileActivities } from '../../../../activities/observations/observation-files';
import type { ObservationReply } from '../../../../activities/observations/observations-api';
import type { Sender } from '../../../../activities/service/service-client';
import { findAttachment } from '../../../../activities/share/drop/attachments';
import { useTemporaryFolder } from '../../../setup/temporary-folder';

jest.mock('node:fs/promises', () => {
  const real = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
  return { ...real, open: jest.fn(real.open) };
});

const PHOTO = Buffer.from('photo of axis C '.repeat(40_000));
const SECRET = Buffer.from('private to the service ').subarray(0, 16);

const folder = useTemporaryFolder();
const photos = () => join(folder(), 'observations');

beforeEach(async () => {
  await mkdir(join(photos(), 'sub'), { recursive: true });
  await mkdir(join(folder(), 'outside'));
  await writeFile(join(photos(), 'sub/photo.jpg'), PHOTO);
  await writeFile(join(folder(), 'outside/photo.jpg'), SECRET);
});

async function swap(path: string): Promise<void> {
  await rename(path, `${path}-away`);
  await symlink(join(folder(), 'outside'), path);
}

async function contentOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

describe.each([true, false])('an attachment (by descriptor: %s)', byDescriptor => {
  const find = async (path: string) => await findAttachment(folder(), path, { byDescriptor });

  test('is sent as it was looked at, also when its folder is a link by then', async () => {
    const file = await find('sub/photo.jpg');
    await swap(join(photos(), 'sub'));
    for (const _attempt of [1, 2]) expect((await contentOf(file.open())).equals(PHOTO)).toBe(true);
    expect(file.sha256).toBe(createHash('sha256').update(PHOTO).digest('hex'));
    await file.close();
  });

  test('is sent as it was looked at when another file has its name by then', async () => {
    const file = await find('sub/photo.jpg');
    await rename(join(folder(), 'outside/photo.jpg'), join(photos(), 'sub/photo.jpg'));
    expect((await contentOf(file.open())).equals(PHOTO)).toBe(true);
    await file.close();
  });

  test.each([
    [
      'of the same length',
      () => writeFile(join(photos(), 'sub/photo.jpg'), PHOTO.toString().replace('C', 'D')),
    ],
    ['longer', () => appendFile(join(photos(), 'sub/photo.jpg'), 'more')],
    ['shorter', () => writeFile(join(photos(), 'sub/photo.jpg'), 'less')],
  ])('never arrives whole when it was rewritten meanwhile: %s', async (_, rewrite) => {
    const file = await find('sub/photo.jpg');
    await rewrite();
    let sent = 0;
    const sending = (async () => {
      for await (const chunk of file.open()) sent += chunk.length;
    })();
    await expect(sending).rejects.toMatchObject({ code: 'file-changed' });
    expect(sent).toBeLessThan(file.sizeBytes);
    await file.close();
  });

  test('is refused behind a link, as a link, and with another name somewhere else', async () => {
    await symlink(join(folder(), 'outside'), join(photos(), 'link'));
    await symlink(join(folder(), 'outside/photo.jpg'), join(photos(), 'link.jpg'));
    await link(join(folder(), 'outside/photo.jpg'), join(photos(), 'twin.jpg'));
    for (const path of ['link/photo.jpg', 'link.jpg', 'twin.jpg', '../outside/photo.jpg']) {
      await expect(find(path)).rejects.toMatchObject({ code: 'file-refused' });
    }
    await expect(find('nowhere/photo.jpg')).rejects.toMatchObject({ code: 'file-missing' });
  });
});

test('with another name it is refused also when that one was taken away since it was opened', async () => {
  const twin = join(photos(), 'twin.jpg');
  const real = jest.requireActual<typeof import('node:fs/promises')>('node:fs/promises');
  await link(join(folder(), 'outside/photo.jpg'), twin);
  jest.mocked(open).mockImplementation(async (path, ...how) => {
    const file = await real.open(path, ...how);
    if (!String(path).endsWith('twin.jpg')) return file;
    await rm(twin);
    await writeFile(twin, 'his own');
    return file;
  });
  const found = findAttachment(folder(), 'twin.jpg').finally(() => {
    jest.mocked(open).mockImplementation(real.open);
  });
  await expect(found).rejects.toMatchObject({ code: 'file-changed' });
});

test('is closed when it was sent, when it was refused, and when sending failed', async () => {
  const openFiles = async () => (await readdir('/proc/self/fd')).length;
  const before = await openFiles();
  const input = { project: { companyId: '1', projectId: '2' }, id: '7', attachments: ['sub/photo.jpg'] };
  const outcomes: unknown[] = [];
  for (const send of ['works', 'is changed', 'breaks'] as const) {
    let calls = 0;
    const client = {
      send: async (
        _endpoint: unknown,
        request: { files?: readonly { open(): AsyncIterable<Uint8Array> }[] },
      ) => {
        calls += 1;
        const item = {
          id: '7',
          number: '1',
          name: 'x',
          status: 'open',
          attachmentsByNames: [],
        };
        if (calls === 1) return { data: item };
        if (send === 'breaks') throw new Error('broken');
        if (send === 'is changed') await appendFile(join(photos(), 'sub/photo.jpg'), 'more');
        for (const file of request.files ?? []) await contentOf(file.open());
        return { data: item };
      },
    } as unknown as Sender;
    const { attachFiles } = createObservationFileActivities({
      client,
      draining: new AbortController().signal,
      openAttachment: path => findAttachment(folder(), path),
    });
    const answer = (await new MockActivityEnvironment().run(attachFiles, input).catch(() => undefined)) as
      | ObservationReply
      | undefined;
    outcomes.push(answer?.kind === 'refused' ? answer.reason.code : answer?.kind);
  }
  expect(outcomes).toEqual(['done', 'file-changed', undefined]);
  expect(await openFiles()).toBe(before);
});
