import { findPerson, personOf } from '../../../activities/host/person-of';

const PASSWD = `root:x:0:0:root:/root:/bin/bash
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
tharker:x:1000:1000:T. Harker,,,:/home/tharker:/bin/bash
anna:x:1001:1001::/home/anna:/bin/bash
drawbridge:x:1002:1002::/nonexistent:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/bin/sh
`;

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
