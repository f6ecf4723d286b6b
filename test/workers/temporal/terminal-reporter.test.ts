// The last net before a terminal.
import { toPrintable } from '../../../workers/temporal/terminal-reporter';

test('leaves text, line ends and our colours', () => {
  const text = '\n\u001b[31mdone\u001b[39m\tGröße 図面 👷‍♀️\n';
  expect(toPrintable(text)).toBe(text);
});

test.each(['\u001b]52;c;aGk=\u0007', '\u001b[2J', '\r', '\u009b2J', '\u202e', '\u0000'])(
  'lets no %j through, and leaves JSON what it is',
  text => {
    expect(toPrintable(text)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(JSON.parse(toPrintable(JSON.stringify({ text })))).toEqual({ text });
  },
);
