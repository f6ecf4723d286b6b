// Who may bring events: the secret to the letter, and the one before it until its end.
import { Secret } from '../../../activities/service/secret';
import { secretCheck } from '../../../client/webhooks/webhook-secret';

const PRESENT = 'Bearer Present-Secret-0001';
const PREVIOUS = 'Bearer Previous-Secret-0002';
const UNTIL_MS = Date.UTC(2026, 1, 1);

let nowMs = UNTIL_MS - 1;
const isOurs = secretCheck(
  [{ secret: new Secret(PRESENT) }, { secret: new Secret(PREVIOUS), untilMs: UNTIL_MS }],
  () => nowMs,
);

test.each([
  ['the secret', PRESENT, true],
  ['the one before it', PREVIOUS, true],
  ['in capitals', PRESENT.toUpperCase(), false],
  ['in small letters', PRESENT.toLowerCase(), false],
  ['its scheme in small letters', PRESENT.replace('Bearer', 'bearer'), false],
  ['without its last character', PRESENT.slice(0, -1), false],
  ['with a blank behind it', `${PRESENT} `, false],
  ['nothing', '', false],
  ['no text', [PRESENT], false],
])('%s: taken %s', (_name, given, taken) => {
  nowMs = UNTIL_MS - 1;
  expect(isOurs(given)).toBe(taken);
});

test('the one before it ends at its time, while the receiver runs', () => {
  nowMs = UNTIL_MS;
  expect([isOurs(PREVIOUS), isOurs(PRESENT)]).toEqual([false, true]);
});
