import { planAbout } from '../../../../activities/registers/receipt/receipt-about';
import { receiptFacts } from './receipt-facts';

const textOf = (...args: Parameters<typeof planAbout>) =>
  planAbout(...args)
    .rows.map(row => row.map(({ text }) => text).join(' | '))
    .join('\n');

describe('planAbout', () => {
  test('says whose it is, how it adds up, and which zone its times are in', () => {
    const text = textOf(receiptFacts({ register: { path: 'register.xlsx', sha256: 'cd' } }), []);
    expect(text).toContain('1 of 2 is through. 1 is held and waits for you.');
    expect(text).toContain('Sum | 1 through + 1 held = 2');
    expect(text).toContain('Written | 2026-04-03 16:20 +02:00');
    expect(text).toContain('All times are those of Europe/Berlin.');
    expect(text).toContain('Register | register.xlsx');
    expect(text).toContain('State | Final.');
  });

  test('names files that were left out once, and what was not carried over', () => {
    const text = textOf(receiptFacts({ ignored: ['Thumbs.db', '~$x.docx'], isFinal: false }), [
      'Lost.',
      'Too.',
    ]);
    expect(text).toContain('Not as it came | Lost.\n | Too.');
    expect(text).toContain('Left out | Thumbs.db\n | ~$x.docx');
    expect(text).toContain('a later receipt replaces this one');
  });

  test('of very many names it says how many there are', () => {
    const ignored = Array.from({ length: 1_500 }, (_, index) => `~$${index}`);
    expect(textOf(receiptFacts({ ignored }), [])).toContain('and 1,300 more');
    const counts = { left: ['1.pdf'], leftInAll: 301, ignored: ['~$x'], ignoredInAll: 3 };
    const text = textOf(receiptFacts(counts), []);
    expect(text).toContain('No row, left in drop | 1.pdf\n | and 300 more\nLeft out | ~$x\n | and 2 more');
    expect(textOf(receiptFacts({ left: ['1.pdf'], leftInAll: 1, ignoredInAll: 0 }), [])).not.toContain(
      'more',
    );
  });
});
