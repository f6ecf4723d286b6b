import { constants } from 'node:os';
import { ApplicationFailure } from '@temporalio/common';
import {
  isBusy,
  isGone,
  isPassing,
  isTaken,
  troubleOf,
  troubleOfCode,
} from '../../../activities/host/file-trouble';
import { toActivityFailure } from '../../../activities/scope/failure';
import { isNoFolder } from '../../../activities/share/files/real-folder';
import { toShareError } from '../../../activities/share/files/share-error';
import { isLinkUnsupported } from '../../../activities/share/files/write-whole';
import { isPassingFileFault, toFileError } from '../../../activities/transfer/source-faults';

// Node lists those that all systems have; Linux file systems say these too.
const CODES = [...new Set([...Object.keys(constants.errno), 'EHOSTDOWN', 'EREMOTEIO', 'EUCLEAN'])].sort();

function failed(code: string): Error {
  return Object.assign(new Error('x'), { code, syscall: 'open' });
}

function isTriedAgain(error: Error): boolean {
  const failure = toActivityFailure(error);
  return failure instanceof ApplicationFailure && failure.type === 'SHARE_UNAVAILABLE';
}

// What each of those who ask makes of all codes that the system has, by the codes themselves.
test.each<[string, (error: Error) => boolean, string]>([
  ['is gone', isGone, 'ENOENT ENOTDIR'],
  ['is open elsewhere', isBusy, 'EACCES EBUSY EPERM ETXTBSY'],
  [
    'passes, whatever was asked for',
    isPassing,
    'EAGAIN EBUSY EHOSTDOWN EHOSTUNREACH EINTR EMFILE ENFILE ENODEV ENOMEM ENOTCONN EREMOTEIO ESTALE ETIMEDOUT ETXTBSY',
  ],
  ['is no folder', isNoFolder, 'ELOOP ENOTDIR'],
  ['is a folder with something in it', error => troubleOf(error) === 'not-empty', 'ENOTEMPTY'],
  ['is taken', isTaken, 'EEXIST'],
  ['cannot be linked', isLinkUnsupported, 'EACCES EINVAL EMLINK ENOSYS ENOTSUP EOPNOTSUPP EPERM EXDEV'],
  ['says that the share is full', error => toShareError(error)?.code === 'share-full', 'EDQUOT ENOSPC'],
  ['says that the share is read-only', error => toShareError(error)?.code === 'share-read-only', 'EROFS'],
  [
    'says that the share is away',
    error => toShareError(error)?.code === 'share-away',
    'ECONNABORTED ECONNREFUSED ECONNRESET EHOSTDOWN EHOSTUNREACH EIO ENETUNREACH ENODEV ENOTCONN ENXIO EREMOTEIO ESTALE ETIMEDOUT',
  ],
  [
    'is tried again by Temporal',
    isTriedAgain,
    'EACCES EAGAIN EBUSY EDQUOT EHOSTDOWN EHOSTUNREACH EINTR EIO EMFILE ENFILE ENODEV ENOENT ENOMEM ENOSPC ENOTCONN ENOTDIR ENXIO EPERM EREMOTEIO EROFS ESTALE ETIMEDOUT ETXTBSY EUCLEAN',
  ],
  [
    'is the fault of one file',
    error => toFileError((error as NodeJS.ErrnoException).code ?? '').code === 'SOURCE_FILE',
    'EACCES EBUSY EIO EISDIR ELOOP ENOENT ENOTDIR ENXIO EPERM ETXTBSY',
  ],
  [
    'of one file passes in a moment',
    error => isPassingFileFault((error as NodeJS.ErrnoException).code),
    'EACCES EBUSY EIO EPERM ETXTBSY',
  ],
])('what %s', (_, holds, codes) => {
  expect(CODES.filter(code => holds(failed(code)))).toEqual(codes.split(' '));
});

test('a code of something else means nothing to the file system', () => {
  expect(troubleOf(new Error('x'))).toBeUndefined();
  expect(troubleOfCode('batch-damaged')).toBeUndefined();
  expect(troubleOfCode('toString')).toBeUndefined();
  expect(troubleOfCode(undefined)).toBeUndefined();
});
