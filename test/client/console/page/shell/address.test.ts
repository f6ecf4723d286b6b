import { fillPath, matchPath, toAddress, withQuery } from '../../../../../client/console/page/shell/address';

test.each([
  ['/jobs', '/jobs', {}],
  ['/jobs/:share/:job', '/jobs/tender/TR%2F1%20a', { share: 'tender', job: 'TR/1 a' }],
  ['/jobs/:share/:job', '/jobs/tender', undefined],
  ['/jobs/:share', '/jobs/', undefined],
  ['/jobs/:share', '/jobs/%E0%A4%A', undefined],
])('%s is asked for %s', (pattern, path, params) => {
  expect(matchPath(pattern, path)).toEqual(params);
});

test('what is filled in is found again, whatever it is', () => {
  const params = { share: 'a/b?#', job: '\u202e%2F ü' };
  expect(matchPath('/jobs/:share/:job', fillPath('/jobs/:share/:job', params))).toEqual(params);
});

test('below a path prefix the address is the same', () => {
  expect(toAddress('/drawbridge/jobs/', '?q=a%26b', '/drawbridge/')).toEqual({
    path: '/jobs',
    query: { q: 'a&b' },
  });
  expect(toAddress('/drawbridge', '', '/drawbridge/')?.path).toBe('/');
  expect(toAddress('/other/jobs', '', '/drawbridge/')).toBeUndefined();
});

test('what is empty is left out of an address', () => {
  expect(withQuery('/jobs', { q: '', state: undefined })).toBe('/jobs');
  expect(withQuery('/jobs', { q: 'a b', day: '' })).toBe('/jobs?q=a+b');
});
