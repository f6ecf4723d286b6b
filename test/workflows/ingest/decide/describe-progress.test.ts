import fc from 'fast-check';
import type { Reason } from '../../../../workflows/contract';
import { describeProgress } from '../../../../workflows/ingest/decide/describe-progress';
import type {
  BatchProgress,
  DocumentOutcome,
  HeldDocument,
} from '../../../../workflows/ingest/ingest-contract';
import { describeRunProgress } from '../../../../workflows/run/decide/describe-run-progress';

const calm: BatchProgress = {
  batchId: '20260131-093000-k3f9a2',
  share: 'tender',
  documents: 3,
  stages: {},
  held: [],
};

function hold(path: string, reason: Partial<Reason> = {}, index = 0): HeldDocument {
  return {
    index,
    path,
    question: 'missing-values',
    reason: { code: 'missing-values', text: 'Type is missing.', fix: 'Give it.', ...reason },
    sinceMs: 0,
    untilMs: 1,
  };
}

function setApart(index: number, reason: Partial<Reason> = {}): DocumentOutcome {
  return { kind: 'set-apart', index, reason: { code: 'x', text: 'Broken.', fix: 'Repair it.', ...reason } };
}

/** Cells of a row as a Markdown reader cuts them: at every bar that no backslash escapes. */
function cellsOf(row: string): readonly string[] {
  const cells = [''];
  for (let position = 0; position < row.length; position++) {
    const char = row.charAt(position);
    if (char === '|') cells.push('');
    else if (char === '\\') cells[cells.length - 1] += char + row.charAt(++position);
    else cells[cells.length - 1] += char;
  }
  return cells.slice(1, -1).map(cell => cell.trim());
}

/** What a reader shows for a cell: escapes undone, entities decoded. */
const shown = (cell: string) =>
  cell.replace(
    /\\([!-/:-@[-`{-~])|&(amp|lt);/g,
    (_all, escaped, entity) => escaped ?? (entity === 'lt' ? '<' : '&'),
  );

/** The table whose head begins with `head`, as rows of cells without head and rule. */
function tableOf(text: string, head: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const start = lines.findIndex(line => line.startsWith(`| ${head} |`));
  if (start < 0) return [];
  const end = lines.findIndex((line, position) => position > start && line === '');
  return lines.slice(start + 2, end < 0 ? undefined : end).map(cellsOf);
}

describe('the live details', () => {
  test('end with a line that nobody misses, for the UI cuts what stands last', () => {
    const texts = [
      describeProgress({ ...calm, held: [hold('a.pdf')] }, [], []),
      describeRunProgress({ title: 'Order 7', step: 'Made.', notes: [] }),
    ];
    for (const text of texts) expect(text).toMatch(/\S\n\n+\u00a0\n$/);
  });

  test('count the documents by stage, in the order of the way', () => {
    const text = describeProgress({ ...calm, stages: { submitted: 1, held: 1, transferring: 1 } }, [], []);
    expect(text).toContain('3 documents');
    expect(text).toContain('tender');
    expect(tableOf(text, 'Stage')).toEqual([
      ['being sent', '1'],
      ['held for a person', '1'],
      ['submitted', '1'],
    ]);
  });

  test('say who waits for whom: path, why, what to do', () => {
    const text = describeProgress({ ...calm, held: [hold('A/plan.pdf', {}, 7)] }, [], []);
    expect(tableOf(text, 'Held')).toEqual([['7', 'A/plan.pdf', 'Type is missing.', 'Give it.']]);
  });

  test('say what was set apart, by path, and leave out what was submitted', () => {
    const submitted: DocumentOutcome = {
      kind: 'submitted',
      index: 0,
      revisionId: null,
      paired: 'unknown',
      submittedAtMs: 0,
    };
    const text = describeProgress(calm, [submitted, setApart(1), setApart(5)], ['a.pdf', 'b.pdf']);
    expect(tableOf(text, 'Set apart')).toEqual([
      ['b.pdf', 'Broken.', 'Repair it.'],
      ['5', 'Broken.', 'Repair it.'],
    ]);
  });

  test('say why the whole batch stands still', () => {
    const reason = { code: 'ACCESS_DENIED', text: 'No right.', fix: 'Give it.' };
    const text = describeProgress({ ...calm, blocked: { reason, sinceMs: 0 } }, [], []);
    expect(text).toContain('No right. Give it.');
  });

  test('end long lists with how many more there are', () => {
    const many = Array.from({ length: 100 }, (_, index) => index);
    const text = describeProgress(
      { ...calm, held: many.map(index => hold(`${index}.pdf`, {}, index)) },
      many.map(index => setApart(index)),
      [],
    );
    const held = tableOf(text, 'Held');
    const apart = tableOf(text, 'Set apart');
    expect(held.at(-1)?.join(' ')).toContain(`${100 - (held.length - 1)} more`);
    expect(apart.at(-1)?.join(' ')).toContain(`${100 - (apart.length - 1)} more`);
  });
});

describe('a hostile file name', () => {
  test.each([
    'a|b.pdf',
    'a\\|b.pdf',
    'a\\',
    '| x | y |',
    '**bold** _it_ `code` ~~gone~~',
    '[click](http:evil)',
    '![img](x)',
    '<script>alert(1)</script>',
    '# heading',
    'R&amp;D & more',
    'ünïcödé 図面 🏗.pdf',
  ])('%j is one cell, and shown as it is', path => {
    const text = describeProgress({ ...calm, held: [hold(path)] }, [setApart(0)], [path]);
    for (const [table, column] of [
      ['Held', 1],
      ['Set apart', 0],
    ] as const) {
      const rows = tableOf(text, table);
      expect(rows).toHaveLength(1);
      expect(shown(rows[0]?.[column] ?? '')).toBe(path);
    }
    expect(text).not.toMatch(/(?<!\\)(\\\\)*[<[*`](script|click|\*bold|code)/);
  });

  test.each([
    'a\nb',
    'a\r\nb',
    'a\u0000b',
    'a\u2028b',
    'a\u2029b',
    'a\u0085b',
    'a\u202eb',
    'a\u2066b',
    'a\ud800b',
  ])('%j loses what would break lines, turn the reading direction or is no character', path => {
    const cell = tableOf(describeProgress({ ...calm, held: [hold(path)] }, [], []), 'Held')[0]?.[1];
    expect(cell).toMatch(/^a {1,2}b$/);
  });

  test('of any characters and any length keeps the tables whole and the text under 64 KiB', () => {
    const char = fc.oneof(
      fc.constantFrom(
        '|',
        '\\',
        '\n',
        '\r',
        '`',
        '*',
        '&',
        '<',
        '🏗',
        '図',
        '\ud83c',
        '\u202e',
        'a',
        '.',
        ' ',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    const name = fc
      .tuple(fc.array(char, { minLength: 1, maxLength: 12 }), fc.constantFrom(1, 30, 400))
      .map(([chars, times]) => chars.join('').repeat(times));
    fc.assert(
      fc.property(name, name, name, fc.integer({ min: 1, max: 30 }), (path, why, fix, count) => {
        const indexes = Array.from({ length: count }, (_, index) => index);
        const text = describeProgress(
          {
            ...calm,
            stages: { held: count },
            held: indexes.map(index => hold(path, { text: why, fix }, index)),
            blocked: { reason: { code: 'x', text: why, fix }, sinceMs: 0 },
          },
          indexes.map(index => setApart(index, { text: why, fix })),
          indexes.map(() => path),
        );
        expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024);
        expect(Buffer.from(text).toString()).toBe(text);
        expect(tableOf(text, 'Stage')).toEqual([['held for a person', String(count)]]);
        for (const [table, columns] of [
          ['Held', 4],
          ['Set apart', 3],
        ] as const) {
          const rows = tableOf(text, table);
          expect(rows).toHaveLength(count > 20 ? 21 : count);
          for (const row of rows) expect(row).toHaveLength(columns);
        }
      }),
    );
  });

  test('of the heaviest kind stays under 64 KiB in a batch of 100', () => {
    for (const heavy of ['|', '図', '🏗', '&']) {
      const words = heavy.repeat(5_000);
      const indexes = Array.from({ length: 100 }, (_, index) => index);
      const text = describeProgress(
        {
          ...calm,
          held: indexes.map(index => hold(words, { text: words, fix: words }, index)),
          blocked: { reason: { code: 'x', text: words, fix: words }, sinceMs: 0 },
        },
        indexes.map(index => setApart(index, { text: words, fix: words })),
        indexes.map(() => words),
      );
      expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024);
    }
  });

  test.each([0, 15, 100])('beside %s held ones, those in line are shown as far as there is room', held => {
    const words = '図'.repeat(5_000);
    const indexes = Array.from({ length: 100 }, (_, index) => index);
    const reason = { code: 'earlier-revision', text: words, fix: words };
    const text = describeProgress(
      {
        ...calm,
        stages: { 'in-line': 100 },
        held: indexes.slice(0, held).map(index => hold(words, { text: words, fix: words }, index)),
        inLine: indexes.map(index => ({ index, path: words, reason, sinceMs: 0 })),
      },
      indexes.map(index => setApart(index, { text: words, fix: words })),
      indexes.map(() => words),
    );
    expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024);
    expect(text).toContain('| waiting for an earlier revision | 100 |');
    expect(text).toContain(`and ${100 - Math.max(0, 20 - held)} more`);
  });
});
