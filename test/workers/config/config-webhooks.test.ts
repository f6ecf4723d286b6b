import { readWebhooks, webhooksSection } from '../../../workers/config/config-webhooks';

const END = '2026-02-01T18:00:00+01:00';
const section = {
  secret: { env: 'NEW' },
  previousSecret: { env: 'OLD' },
  previousSecretUntil: END,
  scopes: [{ companyId: 5001 }],
};
const environment = { NEW: 'Bearer a-new-secret-0001', OLD: 'Bearer an-old-secret-0002', SHORT: 'short' };

function read(part: Record<string, unknown> = {}, secrets: 'read' | 'leave' = 'read') {
  return readWebhooks(webhooksSection.parse({ ...section, ...part }), { environment, folder: '/', secrets });
}

test('the present secret comes first, then the one before it; neither shows', () => {
  const { webhooks, faults } = read();
  expect(faults).toEqual([]);
  expect(webhooks?.secrets.map(({ secret, untilMs }) => [secret.reveal(), untilMs])).toEqual([
    [environment.NEW, undefined],
    [environment.OLD, Date.parse(END)],
  ]);
  expect(JSON.stringify(webhooks)).not.toContain('secret-000');
});

test.each([
  ['is not set', { secret: { env: 'NOWHERE' } }, 'webhooks.secret'],
  ['is short enough to be guessed', { previousSecret: { env: 'SHORT' } }, 'webhooks.previousSecret'],
])('a secret that %s is a fault', (_, part, path) => {
  const { faults } = read(part);
  expect(faults).toMatchObject([{ path }]);
  expect(JSON.stringify(faults)).not.toContain('short');
});

test.each([
  ['an old secret without an end', { previousSecretUntil: undefined }],
  ['an end without an old secret', { previousSecret: undefined }],
])('%s is a fault', (_, part) => {
  expect(read(part).faults).toMatchObject([{ path: 'webhooks.previousSecretUntil' }]);
});

test('commands that never receive need no secret', () => {
  expect(read({ secret: { env: 'NOWHERE' } }, 'leave')).toMatchObject({
    faults: [],
    webhooks: { secrets: [] },
  });
});

test('each trigger has a name of its own', () => {
  const trigger = {
    name: 'x',
    resource: 'R',
    events: ['create'],
    signal: { workflowId: 'w', name: 'resume' },
  };
  expect(read({ triggers: [trigger, trigger] }).faults).toMatchObject([{ path: 'webhooks.triggers' }]);
});

test('without the section there is nothing', () => {
  expect(readWebhooks(undefined, { environment, folder: '/', secrets: 'read' })).toEqual({ faults: [] });
});
