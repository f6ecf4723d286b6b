import { type FoundHook, isDone, planWebhooks } from '../../../../workflows/webhooks/decide/plan-webhooks';

const trigger = { resource: 'Document Upload', event: 'create' } as const;
const wish = { apiVersion: 'v2', destinationUrl: 'https://a.example/w', triggers: [trigger] };
const nothing = { create: false, update: false, createTriggers: [], deleteTriggers: [], deleteHooks: [] };

function hook(id: string, part: Partial<FoundHook> = {}): FoundHook {
  return {
    id,
    apiVersion: 'v2',
    destinationUrl: wish.destinationUrl,
    headers: 'same',
    triggers: [{ id: '1', ...trigger }],
    ...part,
  };
}

describe('the plan', () => {
  test.each<[string, FoundHook[], object]>([
    ['nothing there', [], { keep: null, create: true, createTriggers: [trigger] }],
    ['all as it should be', [hook('5')], { keep: '5', ...nothing }],
    ['the same twice', [hook('10'), hook('9')], { keep: '9', deleteHooks: ['10'], update: false }],
    [
      'one that needs less work',
      [hook('4', { headers: 'different' }), hook('9')],
      { keep: '9', deleteHooks: ['4'] },
    ],
    ['other headers', [hook('5', { headers: 'different' })], { keep: '5', update: true }],
    ['another destination', [hook('5', { destinationUrl: 'https://b.example' })], { update: true }],
    ['another version', [hook('5', { apiVersion: 'v4' })], { create: true, deleteHooks: ['5'] }],
    [
      'a trigger twice, in capitals',
      [
        hook('5', {
          triggers: [
            { id: '22', ...trigger },
            { id: '3', resource: 'document upload', event: 'CREATE' },
          ],
        }),
      ],
      { keep: '5', createTriggers: [], deleteTriggers: ['22'] },
    ],
    ['no trigger', [hook('5', { triggers: [] })], { createTriggers: [trigger] }],
  ])('%s', (_, found, expected) => {
    const plan = planWebhooks(wish, found, false);
    expect(plan).toMatchObject(expected);
    expect(isDone(plan)).toBe(JSON.stringify(found) === JSON.stringify([hook('5')]));
  });

  test('without wanted triggers no hook stays', () => {
    expect(planWebhooks({ ...wish, triggers: [] }, [hook('5'), hook('6')], false)).toMatchObject({
      keep: null,
      create: false,
      deleteHooks: ['5', '6'],
    });
  });

  test('headers that look right are written all the same when asked', () => {
    expect(planWebhooks(wish, [hook('5')], true)).toMatchObject({ keep: '5', update: true });
  });
});
