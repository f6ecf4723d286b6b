// What `webhooks ensure` asks for, and how an event's reactions come from the configuration.

import { createProgram } from '../../../client/main';
import { toEnsureInputs } from '../../../client/webhooks/ensure-inputs';
import { webhooksSection } from '../../../workers/config/config-webhooks';
import { ensureWebhooksInput } from '../../../workflows/webhooks/webhooks-contract';

const section = {
  secret: { env: 'X' },
  destinationUrl: 'https://hooks.example.com/webhooks',
  scopes: [{ companyId: 5001 }, { companyId: 5001, projectId: 7001 }],
  triggers: [
    {
      name: 'look',
      resource: 'Observation Items',
      events: ['Update', 'reopened'],
      signal: { workflowId: 'observation/{projectId}/{resourceId}', name: 'resume' },
    },
    {
      name: 'only-heard',
      resource: 'Document Upload',
      events: ['completed'],
      signal: { workflowId: 'x', name: 'resume' },
    },
  ],
};
const webhooks = { ...webhooksSection.parse(section)!, secrets: [] };

test('one input a scope, with the verbs that can be subscribed to', () => {
  const inputs = toEnsureInputs(webhooks);
  expect(inputs.map(({ companyId, projectId }) => [companyId, projectId])).toEqual([
    ['5001', undefined],
    ['5001', '7001'],
  ]);
  expect(inputs[0]?.triggers).toEqual([{ resource: 'Observation Items', events: ['update'] }]);
  for (const input of inputs) expect(ensureWebhooksInput.safeParse(input).success).toBe(true);
  expect(toEnsureInputs(webhooks, { remove: true })[0]?.triggers).toEqual([]);
});

test('without an address for the service, it says what is missing', () => {
  const { destinationUrl: _, ...without } = webhooks;
  expect(() => toEnsureInputs(without)).toThrow('webhooks.destinationUrl');
});

test.each([
  ['a name that no event has', { input: { id: '{resourceid}' } }],
  ['a workflow that cannot be one', { workflow: 'rm -rf' }],
])('%s is a fault of the configuration', (_, part) => {
  const start = { workflow: 'lookWorkflow', input: {}, ...part };
  const triggers = [{ name: 'x', resource: 'R', events: ['create'], start }];
  expect(webhooksSection.safeParse({ ...section, triggers }).success).toBe(false);
});

test('the commands are there', () => {
  const names = createProgram([], 'drawbridge').commands.map(command => command.name());
  expect(names).toEqual(expect.arrayContaining(['webhooks', 'users']));
});
