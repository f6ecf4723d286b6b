// A list of the project that lags behind what was just answered: what the result says then.
import { changePermissionTemplateWorkflow } from '../../../workflows/users/change-permission-template';
import { INPUT, MEMBER_FOUND, PREVIOUS, type scriptedWorkflow, WANTED } from './scripted-members';

const OTHER = { id: '301', name: 'Read Only' };

/** What the service answers to one addition after the other. */
let additions: unknown[] = [];
let removal: unknown = { kind: 'removed' };
/** What was asked of them. */
let asked: unknown[] = [];

const activities: Record<string, (input: unknown) => unknown> = {
  ...MEMBER_FOUND,
  removeMember: () => removal,
  addMember: input => {
    asked.push(input);
    return additions.shift();
  },
};

jest.mock('@temporalio/workflow', () => ({
  ...jest
    .requireActual<{ scriptedWorkflow: typeof scriptedWorkflow }>('./scripted-members')
    .scriptedWorkflow((name, input) => activities[name]?.(input)),
  CancellationScope: { nonCancellable: (work: () => unknown) => work() },
}));

beforeEach(() => {
  asked = [];
});

test.each([
  ['the wanted template is there after all', WANTED, 'changed'],
  ['another one was given meanwhile', OTHER, 'changed-by-others'],
])('%s when the old one is to be put back', async (_, template, outcome) => {
  additions = [{ kind: 'added' }, { kind: 'other', template }];
  const result = await changePermissionTemplateWorkflow(INPUT);
  // One refusal alone does not tell then that the user is outside.
  expect(asked).toMatchObject([
    { templateId: WANTED.id },
    { templateId: PREVIOUS.id, isPerhapsInside: true },
  ]);
  expect(result).toMatchObject({ outcome, template });
  expect(result.notes.at(-1)).toBe(
    `The user has the template ${template.name} (${template.id}) by now; it was left so.`,
  );
});

test('whom an addition that was refused has not brought inside is outside', async () => {
  const reason = { code: 'add-refused', text: 'No such template.', fix: '' };
  additions = [
    { kind: 'refused', reason },
    { kind: 'other', template: PREVIOUS },
  ];
  expect(await changePermissionTemplateWorkflow(INPUT)).toMatchObject({ outcome: 'restored' });
  expect(asked[1]).not.toHaveProperty('isPerhapsInside');
});

test.each([
  ['another one', OTHER, 'changed-by-others'],
  ['the wanted one', WANTED, 'changed'],
])('%s that was given by hand before the removal is left', async (_, template, outcome) => {
  removal = { kind: 'other', template };
  additions = [];
  const result = await changePermissionTemplateWorkflow(INPUT);
  expect(result).toMatchObject({ outcome, template });
  expect(result.notes.at(-1)).toContain('it was left so');
});

describe('a removal that is refused', () => {
  const refused = { kind: 'refused', reason: { code: 'remove-refused', text: 'No right.', fix: 'Give it.' } };

  test('fails the run where nothing can have happened', async () => {
    removal = refused;
    await expect(changePermissionTemplateWorkflow(INPUT)).rejects.toThrow('No right. Give it.');
  });

  test('fails no run where an earlier one may have taken effect: the old template is put back', async () => {
    removal = { ...refused, isPerhapsOut: true };
    additions = [{ kind: 'other', template: PREVIOUS }];
    const result = await changePermissionTemplateWorkflow(INPUT);
    expect(result).toMatchObject({ outcome: 'restored', template: PREVIOUS });
    expect(result.notes[0]).toBe('No right. The old template is put back.');
  });
});
