// What a coordinator asks of Temporal while Temporal is away: it is asked again, and no
// order of a project ends by it.
import { type Client, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { toActivityFailure } from '../../activities/scope/failure';
import { createCoordinators, createProjectRuns } from '../../workers/coordinators';
import { createLogger } from '../../workers/logging';
import { ingestWorkflowId } from '../../workflows/contract';

const project = { companyId: '5001', projectId: '7001' };
const away = () => new ServiceError('Failed to signal Workflow', { cause: new Error('14 UNAVAILABLE') });

/** A client whose server answers as it is told, call for call. */
function clientThat(answers: {
  readonly listed?: readonly string[];
  readonly signal?: () => Promise<void>;
  readonly describe?: () => Promise<unknown>;
  readonly list?: () => Error;
}): Client {
  return {
    withDeadline: async (_: number, work: () => Promise<unknown>) => await work(),
    workflow: {
      async *list() {
        await Promise.resolve();
        if (answers.list !== undefined) throw answers.list();
        for (const batchId of answers.listed ?? []) yield { workflowId: ingestWorkflowId(project, batchId) };
      },
      getHandle: () => ({ signal: answers.signal, describe: answers.describe }),
    },
  } as unknown as Client;
}

async function failureOf(work: Promise<unknown>): Promise<ApplicationFailure> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  // As every activity's failure goes out.
  const failure = toActivityFailure(error);
  if (failure instanceof ApplicationFailure) return failure;
  throw new Error('it did not fail as an activity does', { cause: error });
}

test.each([
  ['a signal', 'announceRuns', { listed: ['b'], signal: () => Promise.reject(away()) }],
  ['the list of runs', 'announceRuns', { list: away }],
  ['a look at a run', 'lookAtRuns', { describe: () => Promise.reject(away()) }],
] as const)('Temporal is away at %s: tried again', async (_, name, answers) => {
  const runs = createProjectRuns(clientThat(answers));
  const failure = await failureOf(
    name === 'announceRuns'
      ? runs.announce({ project, known: [] })
      : runs.lookAt({ project, batchIds: ['b'] }),
  );
  expect(failure).toMatchObject({ type: 'SERVICE_UNAVAILABLE', nonRetryable: false });
  expect(failure.message).toContain('Temporal');
});

test('a mistake of ours is not taken for an absence', async () => {
  const broken = clientThat({ describe: () => Promise.reject(new TypeError('x is not a function')) });
  const failure = await failureOf(createProjectRuns(broken).lookAt({ project, batchIds: ['b'] }));
  expect(failure).toMatchObject({ type: 'BUG', nonRetryable: true });
});

test('a run that somebody paused is no stopped one: nobody overtakes it', async () => {
  const paused = clientThat({ describe: async () => ({ status: { name: 'PAUSED' } }) });
  const { runs } = await createProjectRuns(paused).lookAt({ project, batchIds: ['b'] });
  expect(runs).toEqual([{ batchId: 'b', state: 'running' }]);
});

test('500 runs are looked at several at a time, never many, and each answer stands beside its own run', async () => {
  const batchIds = Array.from({ length: 500 }, (_, at) => `batch-${at}`);
  let underWay = 0;
  let most = 0;
  const client = clientThat({});
  client.workflow.getHandle = ((workflowId: string) => ({
    describe: async () => {
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay -= 1;
      return { status: { name: workflowId.endsWith('7') ? 'COMPLETED' : 'RUNNING' } };
    },
  })) as never;
  const { runs } = await createProjectRuns(client).lookAt({ project, batchIds });
  expect(
    [...runs].sort((one, other) => batchIds.indexOf(one.batchId) - batchIds.indexOf(other.batchId)),
  ).toEqual(batchIds.map(batchId => ({ batchId, state: batchId.endsWith('7') ? 'ended' : 'running' })));
  expect(most).toBeGreaterThanOrEqual(10);
  expect(most).toBeLessThanOrEqual(20);
});

test('a run that has ended since it was listed was not told, the others were', async () => {
  let signals = 0;
  const client = clientThat({
    listed: ['gone', 'here'],
    signal: () =>
      signals++ === 0 ? Promise.reject(new WorkflowNotFoundError('gone', 'w', undefined)) : Promise.resolve(),
  });
  expect(await createProjectRuns(client).announce({ project, known: [] })).toEqual({
    batchIds: ['here'],
  });
});

test.each([
  ['was told', () => Promise.resolve(), true],
  [
    'is not there: nobody waits',
    () => Promise.reject(new WorkflowNotFoundError('gone', 'w', undefined)),
    true,
  ],
  ['could not be told', () => Promise.reject(away()), false],
])(
  'whoever says what has ended hears whether the coordinator knows it: it %s',
  async (_, signal, isKnown) => {
    const coordinators = createCoordinators(clientThat({ signal }), createLogger({ level: 'silent' }));
    expect(await coordinators.ended(project, 'batch', [3])).toBe(isKnown);
  },
);
