// Lines of documents that are the same one: who is in which, in which order, and that somebody can always go.
import fc from 'fast-check';
import { DocumentWords } from '../../../../activities/share/drop/document-words';
import { keysOf } from '../../../../activities/share/revision-order/document-keys';
import {
  findMistakenNumbers,
  findPredecessors,
  type QueuedDocument,
  toQueues,
} from '../../../../workflows/revision-order/decide/order-revisions';

const WORDS = new DocumentWords();

interface Facts {
  readonly batch?: number;
  readonly index?: number;
  readonly values?: Record<string, string>;
  readonly claimed?: number;
  readonly modified?: number;
  readonly type?: string;
  readonly matches?: string;
}

function document(
  path: string,
  {
    batch = 0,
    index = 0,
    values = {},
    claimed = 0,
    modified = 0,
    type = 'application/pdf',
    matches,
  }: Facts = {},
) {
  const fileName = path.slice(path.lastIndexOf('/') + 1);
  return {
    batchId: `batch-${batch}`,
    index,
    path,
    keys: keysOf({ fileName, mimeType: type }, values, 'file', WORDS),
    matches,
    revision: WORDS.textOf(values, 'revision'),
    claimedAt: new Date(1_700_000_000_000 + claimed).toISOString(),
    modifiedNs: BigInt(modified),
  } satisfies QueuedDocument;
}

function places(queues: readonly (readonly QueuedDocument[])[]): string[][] {
  return queues.map(queue => queue.map(({ path }) => path));
}

describe('who is in one line', () => {
  test.each([
    ['the same name in other folders and other case', ['A/x.pdf', 'B/X.PDF'], 1],
    ['the same name, accents written differently', ['A/e\u0301.pdf', 'B/\u00e9.pdf'], 1],
    ['other names', ['A/x.pdf', 'A/y.pdf'], 0],
    ['a name that is a folder elsewhere', ['x.pdf/y.pdf', 'x.pdf'], 0],
  ])('%s', (_, paths, lines) => {
    expect(toQueues(paths.map(path => document(path)))).toHaveLength(lines);
  });

  test('a file of another type is no revision of it, by its name nor by its number', () => {
    const values = { number: 'A-101' };
    const [plan, model] = [document('x', { values }), document('x', { values, type: 'image/vnd.dwg' })];
    expect(toQueues([plan, model])).toEqual([]);
    expect(toQueues([plan, document('y', { values, type: 'APPLICATION/PDF' })])).toHaveLength(1);
  });

  test('the same Number under other names; a name and a number connect a third', () => {
    const values = { Number: 'S-101' };
    const one = document('A/x.pdf', { values });
    const other = document('B/y.pdf', { values: { number: 's-101' }, claimed: 1 });
    const third = document('C/Y.pdf', { claimed: 2 });
    expect(places(toQueues([third, other, one]))).toEqual([['A/x.pdf', 'B/y.pdf', 'C/Y.pdf']]);
    expect(toQueues([one, third])).toEqual([]);
  });

  test('by name and media type, the name being what a pattern gives before the file’s own', () => {
    const named = (file: string, name: string) => document(file, { values: { Name: name } });
    expect(places(toQueues([named('a.pdf', 'X-1'), named('b.pdf', 'x-1')]))).toEqual([['a.pdf', 'b.pdf']]);
    expect(toQueues([named('a.pdf', 'X-1'), named('Z/a.pdf', 'X-2')])).toEqual([]);
    const number = { values: { Number: '7' } };
    expect(toQueues([document('a', number), document('b', { ...number, type: 'image/vnd.dwg' })])).toEqual(
      [],
    );
  });

  test('by what the service matches by, which alone decides where it is known of all', () => {
    const known = (path: string, matches: string | undefined, claimed: number) =>
      document(path, { values: { Number: '7' }, claimed, ...(matches === undefined ? {} : { matches }) });
    const all = [known('a', 'one', 0), known('b', 'two', 1), known('c', 'one', 2)];
    expect(places(toQueues(all))).toEqual([['a', 'c']]);
    const unread = known('d', undefined, 3);
    const behind = findPredecessors([...all, unread]).map(each => [each.document.path, each.behind.path]);
    expect(behind).toEqual([
      ['c', 'a'],
      ['d', 'a'],
    ]);
    const other = document('x', { matches: 'two', claimed: 4 });
    expect(places(toQueues([other, known('b', 'two', 1)]))).toEqual([['b', 'x']]);
  });

  test('a number of more files than one document has revisions is a mistake', () => {
    const photos = (count: number) =>
      Array.from({ length: count }, (_, at) => document(`Photo_${at}`, { values: { Number: 'Photo' } }));
    expect([...findMistakenNumbers(photos(30))]).toEqual([]);
    expect([...findMistakenNumbers(photos(31)).values()]).toEqual([31]);
  });

  test('a name is not a number', () => {
    expect(toQueues([document('A/7'), document('B/x', { values: { Number: '7' } })])).toEqual([]);
  });
});

describe('their order', () => {
  const revisions = (...values: (string | undefined)[]) =>
    values.map((revision, at) =>
      document(`${revision}/x.pdf`, {
        batch: at,
        claimed: at,
        values: revision === undefined ? {} : { Revision: revision },
      }),
    );

  test.each([
    ['by revision, whatever came first', ['C', 'A', 'B'], ['A', 'B', 'C']],
    ['by stage and number', ['C01', 'P10', 'P02'], ['P02', 'P10', 'C01']],
    ['by time, where one has none', ['C', undefined, 'A'], ['C', undefined, 'A']],
    ['by time, where two cannot be compared', ['2', 'B', 'A'], ['2', 'B', 'A']],
    ['by time, where they are the same', ['B', 'B', 'A'], ['A', 'B', 'B']],
  ])('%s', (_, came, go) => {
    expect(toQueues(revisions(...came))[0]?.map(({ revision }) => revision)).toEqual(go);
  });

  test('time is the claim, then when the file was written, then its place', () => {
    const queue = [
      document('4/x', { claimed: 2, modified: 1 }),
      document('3/x', { claimed: 1, modified: 7, index: 2 }),
      document('2/x', { claimed: 1, modified: 7, index: 1 }),
      document('1/x', { claimed: 1, modified: 5, index: 3 }),
    ];
    expect(places(toQueues(queue))).toEqual([['1/x', '2/x', '3/x', '4/x']]);
  });
});

describe('whatever meets', () => {
  const anyDocument = fc
    .record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      number: fc.option(fc.constantFrom('1', '2', '3')),
      revision: fc.option(fc.constantFrom('A', 'B', 'AA', '1', '02', 'P01', 'C01', 'draft')),
      batch: fc.nat(3),
      claimed: fc.nat(2),
      modified: fc.nat(2),
      matched: fc.option(fc.constantFrom('one', 'two')),
    })
    .map(({ name, number, revision, matched, ...facts }) => ({
      name,
      facts: matched === null ? facts : { ...facts, matches: matched },
      values: {
        ...(number === null ? {} : { Number: number }),
        ...(revision === null ? {} : { Revision: revision }),
      },
    }));
  const anyDocuments = fc
    .array(anyDocument, { maxLength: 14 })
    .map(all =>
      all.map(({ name, facts, values }, index) => document(`${index}/${name}`, { ...facts, index, values })),
    );

  /** Who may go now: everybody but those behind the first of a queue. */
  const free = (open: readonly QueuedDocument[]) => {
    const behind = new Set(findPredecessors(open).map(({ document: one }) => one));
    return open.filter(one => !behind.has(one));
  };

  test('does not depend on the order of looking', () => {
    fc.assert(
      fc.property(anyDocuments, fc.infiniteStream(fc.nat(1_000)), (documents, numbers) => {
        const shuffled = documents
          .map(one => ({ one, at: numbers.next().value }))
          .sort((a, b) => a.at - b.at)
          .map(({ one }) => one);
        expect(new Set(places(toQueues(shuffled)).map(queue => queue.join()))).toEqual(
          new Set(places(toQueues(documents)).map(queue => queue.join())),
        );
      }),
    );
  });

  test('ends: there is always one that can go, also while others arrive and end in any order', () => {
    fc.assert(
      fc.property(anyDocuments, fc.infiniteStream(fc.nat(1_000)), (documents, numbers) => {
        const pick = (limit: number): number => numbers.next().value % limit;
        const toCome = [...documents];
        let open: readonly QueuedDocument[] = [];
        const gone: QueuedDocument[] = [];
        while (open.length + toCome.length > 0) {
          if (toCome.length > 0 && (open.length === 0 || pick(2) === 0)) {
            open = [...open, ...toCome.splice(pick(toCome.length), 1)];
          }
          const goers = free(open);
          expect(goers.length).toBeGreaterThan(0);
          const goer = goers[pick(goers.length)];
          open = open.filter(one => one !== goer);
          if (goer !== undefined) gone.push(goer);
        }
        expect(new Set(gone)).toEqual(new Set(documents));
      }),
    );
  });

  test('never lets two of one document go at once', () => {
    fc.assert(
      fc.property(anyDocuments, documents => {
        for (const [at, one] of free(documents).entries()) {
          for (const other of free(documents).slice(at + 1)) {
            const isTold = one.matches !== undefined && other.matches !== undefined;
            expect(
              isTold ? one.matches === other.matches : one.keys.some(key => other.keys.includes(key)),
            ).toBe(false);
          }
        }
      }),
    );
  });

  test('submits revisions that can be compared in their order, when all are there', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(500), { minLength: 2, maxLength: 20 }), numbers => {
        const documents = numbers.map((number, index) =>
          document('x.pdf', { index, claimed: 20 - index, values: { Revision: `P${number}` } }),
        );
        const queue = toQueues(documents)[0]?.map(({ revision }) => revision);
        expect(queue).toEqual([...numbers].sort((a, b) => a - b).map(number => `P${number}`));
      }),
    );
  });
});
