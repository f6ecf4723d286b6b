// The chaos suite names built files of the product by strings, which no compiler follows when a file moves.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const ROOMS = 'activities|client|workers|workflows';
/** `'activities', 'share', 'share.js'`, as for a join, and `'activities/share/share.js'`. */
const NAMED = new RegExp(`(?<!'test', )'(?:${ROOMS})(?:/|', ')[^\\n()\\[\\]]*?\\.js'`, 'g');

test('every built file that the chaos suite names is a file of the product', () => {
  const named = readdirSync(__dirname)
    .filter(name => name.endsWith('.ts') && name !== 'built-paths.test.ts')
    .flatMap(name => readFileSync(join(__dirname, name), 'utf8').match(NAMED) ?? [])
    .map(text => text.replaceAll("'", '').replaceAll(', ', '/'));
  expect(named.length).toBeGreaterThan(15);
  const lost = named.filter(path => !existsSync(join(ROOT, path.replace(/\.js$/, '.ts'))));
  expect(lost).toEqual([]);
});
