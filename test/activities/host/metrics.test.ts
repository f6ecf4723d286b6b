import { Metrics, quantileOf } from '../../../activities/host/metrics';

test('numbers are told as Prometheus reads them, with what a name may hold made harmless', async () => {
  const metrics = new Metrics();
  const documents = metrics.counter('documents_total', 'By outcome.');
  documents.add({ outcome: 'a "b"\\\nc' });
  documents.add({ outcome: 'a "b"\\\nc' }, 2);
  metrics.gauge('left', 'Left.', () => [{ value: 7 }]);
  const times = metrics.histogram('seconds', 'Took.', [1, 5]);
  for (const value of [0.5, 1, 3, 9]) times.observe(value, { step: 'put' });
  expect(await metrics.render()).toBe(
    [
      '# HELP documents_total By outcome.',
      '# TYPE documents_total counter',
      'documents_total{outcome="a \\"b\\"\\\\\\nc"} 3',
      '# HELP left Left.',
      '# TYPE left gauge',
      'left 7',
      '# HELP seconds Took.',
      '# TYPE seconds histogram',
      'seconds_bucket{step="put",le="1"} 2',
      'seconds_bucket{step="put",le="5"} 3',
      'seconds_bucket{step="put",le="+Inf"} 4',
      'seconds_sum{step="put"} 13.5',
      'seconds_count{step="put"} 4',
      '',
    ].join('\n'),
  );
});

test('what others name does not make a metric grow for ever, and nothing is lost of its sum', () => {
  const counter = new Metrics().counter('seen_total', 'Seen.');
  for (let index = 0; index < 2_000; index++) counter.add({ reason: `R${index}` });
  expect(counter.lines().length).toBeLessThanOrEqual(501);
  expect(counter.sum()).toBe(2_000);
  expect(counter.lines()).toContain('seen_total{reason="other"} 1500');
});

test('a number that cannot be had leaves the others in place', async () => {
  const metrics = new Metrics();
  metrics.gauge('broken', 'Not to be had.', () => Promise.reject(new Error('away')));
  metrics.gauge('well', 'Well.', () => [{ value: 1 }]);
  expect(await metrics.render()).toBe('# HELP well Well.\n# TYPE well gauge\nwell 1\n');
});

test('the bound below which 95 of 100 lie', () => {
  expect(quantileOf([1, 5], [94, 1, 5], 0.95)).toBe(5);
  expect(quantileOf([1, 5], [95, 1, 4], 0.95)).toBe(1);
  expect(quantileOf([1, 5], [0, 0, 0], 0.95)).toBeUndefined();
});
