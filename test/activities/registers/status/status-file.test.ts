import { createHash } from 'node:crypto';
import type { StatusCase, StatusFacts } from '../../../../activities/registers/status/status-facts';
import { writeStatusFile } from '../../../../activities/registers/status/status-file';
import { tallyOutcomes } from '../../../../activities/registers/words/outcome-words';

const held = (overrides: Partial<StatusCase> = {}): StatusCase => ({
  outcome: 'held',
  file: 'a.pdf',
  reason: 'Status is missing.',
  whatToDo: 'Give one.',
  ...overrides,
});

const facts = (overrides: Partial<StatusFacts> = {}): StatusFacts => ({
  jobId: 'tr-0142-k3f9a2',
  jobName: 'TR-0142',
  share: 'tender',
  tally: { ...tallyOutcomes([]), through: 212, held: 20, 'on-the-way': 68 },
  droppedAt: '2026-04-03T08:41:00Z',
  writtenAt: '2026-04-03T09:12:00Z',
  zone: 'Europe/Berlin',
  cases: [],
  notes: [],
  end: { kind: 'not-known' },
  ...overrides,
});

/** What a reader sees. */
const seen = (page: string) =>
  page
    .replace(/<(style|title)>.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the status file', () => {
  test('begins with the sentence that answers whether it is through', () => {
    const page = writeStatusFile(facts());
    expect(seen(page)).toContain('212 of 300 are through. 20 are held and wait for you; 68 are on the way.');
    expect(page).toContain('<title>212 of 300 are through · TR-0142</title>');
  });

  test('has the sum as one picture with its numbers as its name, and as text', () => {
    const page = writeStatusFile(facts());
    expect(page).toContain('aria-label="212 through + 68 on the way + 20 held = 300"');
    expect(seen(page)).toContain('Through 212 On the way 68 Held 20 = 300');
  });

  test('takes nothing from elsewhere, and runs nothing', () => {
    const page = writeStatusFile(facts({ cases: [held()] }));
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\((?!#)|\son\w+=|\sstyle=|https?:/i);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`);
  });

  test.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='x",
    '</title><b>',
    '&lt;b&gt;',
  ])('shows %j as text, wherever it stands', text => {
    const hostile = facts({
      jobId: text,
      jobName: text,
      share: text,
      register: text,
      cases: [held({ file: text, reason: text, whatToDo: text })],
    });
    const tags = (page: string) => page.match(/<\/?[a-z][^\s>]*/gi);
    const plain = JSON.parse(
      JSON.stringify(hostile).replaceAll(JSON.stringify(text), '"plain"'),
    ) as StatusFacts;
    expect(tags(writeStatusFile(hostile))).toEqual(tags(writeStatusFile(plain)));
  });

  test('tells one reason once, with all names it is about, the larger one first', () => {
    const cases = [
      held({ outcome: 'set-apart', file: 'z.pdf', reason: 'It exists.', whatToDo: 'Give the next.' }),
      held({ file: 'one.pdf', reason: 'Which one?', row: 9 }),
      held({ file: 'b.pdf', row: 43 }),
      held({ file: 'a.pdf', row: 44 }),
    ];
    const text = seen(writeStatusFile(facts({ cases })));
    expect(text.match(/Status is missing\./g)).toHaveLength(1);
    expect(text).toMatch(
      /Held 2 Status is missing.*row 43 b.pdf row 44 a.pdf.*Held 1 Which one.*Set apart 1 It exists/,
    );
  });

  test('of very many names it says how many there are', () => {
    const cases = Array.from({ length: 5_000 }, (_, index) => held({ file: `f-${index}.pdf` }));
    const page = writeStatusFile(facts({ cases }));
    expect(seen(page)).toContain('and 4,900 more');
    expect(page.length).toBeLessThan(40_000);
  });

  test.each<[StatusFacts['end'], string]>([
    [{ kind: 'about', at: '2026-04-03T09:25:20Z' }, 'It ends at about 11:26 .'],
    [{ kind: 'when-answered' }, 'It ends when the held ones are answered.'],
    [{ kind: 'not-known' }, 'When it ends is not known yet.'],
    [
      { kind: 'when-whole', at: '2026-04-03T09:22:00Z' },
      'It goes when all that its register lists is there, 11:22 at the latest.',
    ],
    [{ kind: 'over' }, 'The receipt is being written.'],
  ])('says of the end %j', (end, expected) => {
    expect(seen(writeStatusFile(facts({ end })))).toContain(expected);
  });

  test('names its zone once', () => {
    expect(seen(writeStatusFile(facts())).match(/Europe\/Berlin/g)).toHaveLength(1);
  });
});
