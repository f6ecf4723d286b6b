import promises from 'node:fs/promises';
import { findPerson, personOf } from '../../../activities/host/person-of';

const FIRST = 1_000;
const PASSWD = `root:x:0:0:root:/root:/bin/bash
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
tharker:x:1000:1000:T. Harker,,,:/home/tharker:/bin/bash
anna:x:1001:1001::/home/anna:/bin/bash
drawbridge:x:1002:1002::/nonexistent:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/bin/sh
`;

afterEach(() => {
  jest.restoreAllMocks();
});

test.each([
  [1000, 'T. Harker'],
  [1001, 'anna'],
  [0, undefined],
  [33, undefined],
  [1002, undefined],
  [65534, undefined],
  [4000, undefined],
])('%d is %s', (uid, expected) => {
  expect(findPerson(PASSWD, uid)).toBe(expected);
});

test('our own files are nobody’s: on a mount that keeps no owners all files are', async () => {
  expect(await personOf(process.getuid?.() ?? 0)).toBeUndefined();
});

test('the list of people is read again after a minute, also when the date was set back meanwhile', async () => {
  const read = jest.spyOn(promises, 'readFile').mockResolvedValue('');
  const passed = jest.spyOn(performance, 'now').mockReturnValue(1e9);
  const date = jest.spyOn(Date, 'now').mockReturnValue(2e12);
  await personOf(FIRST);
  await personOf(FIRST);
  expect(read).toHaveBeenCalledTimes(1);
  passed.mockReturnValue(1e9 + 61_000);
  date.mockReturnValue(1e12);
  await personOf(FIRST);
  expect(read).toHaveBeenCalledTimes(2);
});
