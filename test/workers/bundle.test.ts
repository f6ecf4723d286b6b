// The bundle as `npm run build` makes it: what of it each worker holds besides the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const BUNDLE = join(__dirname, '..', '..', 'dist', 'workflow-bundle.js');

test('the map of the workflow bundle tells lines of our own sources, and nothing finer, which costs memory', () => {
  const map = readMap(readFileSync(BUNDLE, 'utf8'));
  expect(map.sources.some(source => source.endsWith('/workflows/ingest/ingest-batch.ts'))).toBe(true);
  expect(map.sourcesContent).toBeUndefined();
  // More than one position in a line are parted by commas.
  expect(map.mappings.split(',')).toHaveLength(1);
});

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly string[];
  readonly mappings: string;
}

function readMap(code: string): SourceMap {
  const [, base64 = ''] =
    /\/\/# sourceMappingURL=data:application\/json;[^,]*base64,(\S+)\s*$/.exec(code) ?? [];
  return JSON.parse(Buffer.from(base64, 'base64').toString('utf8')) as SourceMap;
}
