import { toFaultKind } from '../../../../activities/transfer/storage/storage-faults';

function systemError(syscall: string, code: string): Error {
  return Object.assign(new Error(`${syscall} ${code}`), { syscall, code });
}

describe('what the system says of a connection', () => {
  test.each([
    ['getaddrinfo', 'EBUSY', 'unreachable'],
    ['getaddrinfo', 'EMFILE', 'unreachable'],
    ['getaddrinfo', 'ENOMEM', 'unreachable'],
    ['connect', 'EMFILE', 'unreachable'],
    ['connect', 'ENOBUFS', 'unreachable'],
    ['connect', 'EPERM', 'unreachable'],
    ['connect', 'EACCES', 'unreachable'],
    ['write', 'EPROTO', 'reset'],
    ['read', 'ENOBUFS', 'reset'],
  ])('is a fault of the network whatever its code: %s %s', (syscall, code, expected) => {
    expect(toFaultKind(systemError(syscall, code))).toBe(expected);
  });

  test('is a fault of the network where several addresses of one host were tried, too', () => {
    const errors = [systemError('connect', 'EPERM'), systemError('connect', 'EACCES')];
    const error = Object.assign(new AggregateError(errors), { code: 'EPERM' });
    expect(toFaultKind(error)).toBe('unreachable');
  });
});

test.each([new TypeError('no function'), systemError('open', 'EACCES'), undefined])(
  'what no network does is no fault of it: %s',
  error => {
    expect(toFaultKind(error)).toBe('not-a-fault');
  },
);
