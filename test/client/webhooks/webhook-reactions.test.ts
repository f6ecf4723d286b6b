// Which events of the service are ours to react to.
import { chooseReactions } from '../../../client/webhooks/webhook-reactions';

const EVENT = {
  eventId: 'E1',
  version: 'v2',
  resource: 'Document Upload',
  event: 'create',
  resourceId: '1',
  companyId: '5001',
  projectId: '7001',
  timestamp: '',
  sourceUserId: '',
  sourceApplicationId: '',
} as const;
type Rules = Parameters<typeof chooseReactions>[1];

const trigger = {
  name: 'tell',
  resource: 'document upload',
  events: ['CREATE'],
  signal: { workflowId: 'w', name: 's' },
} as unknown as Rules['triggers'][number];

function choose(scope: Rules['scopes'][number], event: Partial<typeof EVENT> | object = {}) {
  const own = { userIds: ['77'], applicationIds: ['88'] };
  return chooseReactions({ ...EVENT, ...event }, { scopes: [scope], own, triggers: [trigger] });
}

test.each([
  ['of a project of ours', { companyId: '5001', projectId: '7001' }, {}, 'react'],
  ['of any project of a company of ours', { companyId: '5001' }, {}, 'react'],
  [
    'of a project of ours, without its company',
    { companyId: '5001', projectId: '7001' },
    { companyId: '' },
    'react',
  ],
  ['of another project', { companyId: '5001', projectId: '7002' }, {}, 'other-scope'],
  ['of another company', { companyId: '5002' }, {}, 'other-scope'],
  ['of nobody knows what', { companyId: '5001' }, { companyId: '', projectId: '' }, 'other-scope'],
  ['of our own user', { companyId: '5001' }, { sourceUserId: '77' }, 'own-change'],
  ['of our own application', { companyId: '5001' }, { sourceApplicationId: '88' }, 'own-change'],
  ['of something else', { companyId: '5001' }, { resource: 'RFI' }, 'no-trigger'],
])('an event %s', (_, scope, event, expected) => {
  const chosen = choose(scope, event);
  expect(chosen.kind === 'ignore' ? chosen.why : chosen.kind).toBe(expected);
});
