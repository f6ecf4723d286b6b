import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toActivityFailure } from '../../../activities/scope/failure';
import { isPassingFileFault, toFileError, toFileErrorAt } from '../../../activities/transfer/source-faults';
import { SampleFolder } from './sample-files';

test.each([
  ['CHANGED', 'SOURCE_FILE', 'file-changed'],
  ['ENOENT', 'SOURCE_FILE', 'file-missing'],
  ['ENOTDIR', 'SOURCE_FILE', 'file-missing'],
  ['ELOOP', 'SOURCE_FILE', 'file-unreadable'],
  ['EACCES', 'SOURCE_FILE', 'file-unreadable'],
  ['EIO', 'SOURCE_FILE', 'file-unreadable'],
  ['ESTALE', 'ESTALE', undefined],
  ['EMFILE', 'EMFILE', undefined],
  ['ETIMEDOUT', 'ETIMEDOUT', undefined],
])('%s is told as %s %s', (said, code, reason) => {
  const error = toFileError(said);
  expect({ code: error.code, reason: 'reason' in error ? error.reason : undefined }).toEqual({
    code,
    reason,
  });
});

test('the file is blamed only while its folder can be read', async () => {
  const folder = await SampleFolder.create();
  try {
    const here = await toFileErrorAt(join(folder.path, 'f'), 'EIO');
    const away = await toFileErrorAt(join(folder.path, 'unmounted', 'f'), 'EIO');
    expect(here).toMatchObject({ code: 'SOURCE_FILE' });
    expect(away).toMatchObject({ code: 'ENOENT', name: 'FileSystemError' });
    expect(`${here.message}${away.message}`).not.toContain(folder.path);
  } finally {
    await folder.remove();
  }
});

test('what scanners and file servers refuse for a moment passes', () => {
  const codes = ['EACCES', 'EPERM', 'EBUSY', 'EIO', 'ENOENT', 'ELOOP', undefined];
  expect(codes.filter(isPassingFileFault)).toEqual(['EACCES', 'EPERM', 'EBUSY', 'EIO']);
});

test('a share that goes away while a file is sent is waited for; the run does not fail', async () => {
  const folder = await SampleFolder.create();
  try {
    const away = await toFileErrorAt(join(folder.path, 'unmounted', 'f'), 'ENOENT');
    expect(toActivityFailure(away)).toMatchObject({ type: 'SHARE_UNAVAILABLE', nonRetryable: false });
    expect(toActivityFailure(toFileError('ESTALE'))).toMatchObject({ type: 'SHARE_UNAVAILABLE' });
    // Away when the file was opened, back when its folder was looked at.
    await writeFile(join(folder.path, 'back'), 'x');
    const back = await toFileErrorAt(join(folder.path, 'back'), 'ENOENT');
    expect(toActivityFailure(back)).toMatchObject({ type: 'SHARE_UNAVAILABLE' });
  } finally {
    await folder.remove();
  }
});
