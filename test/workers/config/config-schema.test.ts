// The published schema and example fit the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadConfig } from '../../../workers/config/config';
import { toConfigJsonSchema } from '../../../workers/config/config-schema';
import { parseDuration, parseSize } from '../../../workers/config/config-values';

const ROOT = join(__dirname, '..', '..', '..');

describe('the published config', () => {
  test('schema is the one that the code checks (renew it with `npm run schema`)', () => {
    const published: unknown = JSON.parse(readFileSync(join(ROOT, 'docs', 'config.schema.json'), 'utf8'));
    expect(published).toEqual(toConfigJsonSchema());
  });

  test('example is accepted', () => {
    const config = loadConfig({
      path: join(ROOT, 'drawbridge.example.json'),
      environment: { DRAWBRIDGE_CLIENT_SECRET: 'x' },
    });
    expect(config.shares.length).toBeGreaterThan(0);
    expect(config.service?.companyHeader).toBe('Service-Company-Id');
  });

  test.each([
    ['0', 0],
    ['1500', 1_500],
    ['250ms', 250],
    ['5s', 5_000],
    ['3 m', 180_000],
    ['1.5h', 5_400_000],
    ['7D', 604_800_000],
    ['', undefined],
    ['-5s', undefined],
    ['5 s s', undefined],
    ['5y', undefined],
  ])('duration %p is %p ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  test.each([
    ['64', 64],
    ['10MB', 10_000_000],
    ['5GiB', 5_368_709_120],
    ['1.5 kib', 1_536],
    ['GiB', undefined],
    ['5GiBs', undefined],
  ])('size %p is %p bytes', (text, expected) => {
    expect(parseSize(text)).toBe(expected);
  });
});
