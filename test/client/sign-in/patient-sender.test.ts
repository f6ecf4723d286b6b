import { NotFoundError, RateLimitedError } from '../../../activities/service/errors';
import type { Sender } from '../../../activities/service/service-client';
import { patientSender } from '../../../client/sign-in/patient-sender';
import { errorOf, showThing } from '../../activities/service/client-bed';

const call = { params: { id: '1' }, companyId: '5001' };
const limited = (inMs: number) =>
  new RateLimitedError('GET /things answered 429', { effect: 'rejected', retryAtMs: Date.now() + inMs });

function senderOf(answers: (Error | 'answer')[]): { readonly sender: Sender; readonly sent: () => number } {
  let sent = 0;
  const send = async () => {
    const next = answers[Math.min(sent++, answers.length - 1)];
    if (next instanceof Error) throw next;
    return { data: { id: '1' }, status: 200 };
  };
  return { sender: { send: send as unknown as Sender['send'] }, sent: () => sent };
}

test('a request over the limit is sent again when the service says, and the wait is told', async () => {
  const waits: number[] = [];
  const told: number[] = [];
  const { sender, sent } = senderOf([limited(30_000), limited(0), 'answer']);
  const patient = patientSender(sender, {
    tell: untilMs => void told.push(untilMs),
    sleep: async ms => void waits.push(ms),
  });
  expect((await patient.send(showThing, call)).data).toEqual({ id: '1' });
  expect(sent()).toBe(3);
  expect(told).toHaveLength(2);
  expect(waits[0]).toBeGreaterThan(29_000);
  expect(waits[1]).toBe(1_000);
});

test('any other error ends it at once, and a limit without an end does in the end', async () => {
  const patience = { tell: () => undefined, sleep: async () => undefined };
  const gone = senderOf([new NotFoundError('gone', { effect: 'rejected' })]);
  expect(await errorOf(patientSender(gone.sender, patience).send(showThing, call))).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(gone.sent()).toBe(1);
  const endless = senderOf([limited(0)]);
  expect(await errorOf(patientSender(endless.sender, patience).send(showThing, call))).toMatchObject({
    code: 'RATE_LIMITED',
  });
  expect(endless.sent()).toBe(21);
});
