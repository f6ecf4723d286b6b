// What comes from people and from the service is shown in the Temporal UI, never rendered.
import { escapeMarkdown, toSummary } from '../../../../workflows/run/decide/escape-markdown';

/** What a Markdown reader shows. */
const shown = (text: string) => text.replace(/\\([!-/:-@[-`{-~])/g, '$1');

test.each([
  '[Answer here](https://evil.example)',
  '![](https://evil.example/pixel.png)',
  'https://evil.example/login',
  'www.evil.example',
  'mail@evil.example',
  '<img src=x onerror=alert(1)>',
  '**bold** _it_ ~~no~~ `code`',
  '| a | b |',
  '# Title',
  '&lt;b&gt;',
  'a\\*b',
])('%s stays text', text => {
  const escaped = escapeMarkdown(text, 200);
  expect(shown(escaped)).toBe(text);
  expect(escaped).not.toMatch(/(?<!\\)[*_`<>[\]|#~&@]|(?<!\\):\/\/|www\.(?!\\)/i);
});

test('leaves what is no markup as people wrote it', () => {
  for (const text of ['A-101 (rev. C), 12:30.pdf', 'Submit 3 documents', 'Größe = 5; 図面'])
    expect(escapeMarkdown(text, 200)).toBe(text);
});

test('is one line without marks that turn what follows', () => {
  expect(escapeMarkdown('a\nb\u202ec\u001b[31m', 200)).not.toMatch(/[\p{Cc}\u202e]/u);
});

test.each(['x', '図', '*', '\u{1f600}'])(
  'a summary of any number of %s is one that Temporal takes',
  character => {
    expect(Buffer.byteLength(toSummary(character.repeat(5_000)))).toBeLessThanOrEqual(396);
  },
);

test('a text is as long as it may be, its mark of the cut among it', () => {
  expect(escapeMarkdown('x'.repeat(200), 120)).toHaveLength(120);
  expect(escapeMarkdown('x'.repeat(120), 120)).toBe('x'.repeat(120));
});
