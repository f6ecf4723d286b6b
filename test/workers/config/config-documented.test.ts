// Every setting that the schema takes stands in docs/configuration.md, or in the document of its part.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { toConfigJsonSchema } from '../../../workers/config/config-schema';

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly allOf?: readonly Node[];
}

const DOCS: Readonly<Record<string, string>> = { webhooks: 'service-webhooks.md' };

/** Paths of all keys that hold a value, as `shares.batch.maxFiles`. */
function keysOf(node: Node, path: readonly string[] = []): readonly (readonly string[])[] {
  const inner = [node.items, ...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
  return [
    ...Object.entries(node.properties ?? {}).flatMap(([key, value]) => {
      const at = [...path, key];
      const below = keysOf(value, at);
      return below.length > 0 ? below : [at];
    }),
    ...inner.flatMap(each => (each === undefined ? [] : keysOf(each, path))),
  ];
}

const read = (name: string): string => readFileSync(join(__dirname, '..', '..', '..', 'docs', name), 'utf8');
const keys = keysOf(toConfigJsonSchema() as Node);

test('there are settings to look for', () => {
  expect(keys.length).toBeGreaterThan(80);
  expect(keys).toContainEqual(['shares', 'conflictRetry']);
});

test.each([...new Set(keys.map(([section = '']) => section))])('every key of %s is documented', section => {
  const text = read('configuration.md') + (DOCS[section] === undefined ? '' : read(DOCS[section]));
  const missing = keys.filter(path => {
    // As `key`, `.key`, `a.b.key`, or "key" of an example.
    const words = [...text.matchAll(/[`."]([$\w]+)(?=[`"[])/g)].map(([, word]) => word);
    return path[0] === section && !words.includes(path.at(-1));
  });
  expect(missing.map(path => path.join('.'))).toEqual([]);
});
