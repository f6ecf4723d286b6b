// The people of a project as activities tell them, and the workflow library with these in place of a server.

export const WANTED = { id: '303', name: 'Project Admin' };
export const PREVIOUS = { id: '302', name: 'Standard' };
export const INPUT = { companyId: '5001', projectId: '7001', user: '9004', template: '303' };

/** Somebody who has another template than is wanted, and is not listed once removed. */
export const MEMBER_FOUND = {
  findMember: () => ({
    kind: 'found',
    member: { userId: '9004', name: 'Ada Ashby', template: PREVIOUS },
    template: WANTED,
    previous: PREVIOUS,
  }),
  lookAtMember: () => null,
};

/** @param answer what an activity says, by its name and its input */
export function scriptedWorkflow(answer: (name: string, input: unknown) => unknown): object {
  const ask = (name: string) => ({
    executeWithOptions: async (_: unknown, [input]: readonly [unknown]) => answer(name, input),
  });
  return {
    ...jest.requireActual<object>('@temporalio/workflow'),
    allHandlersFinished: () => true,
    log: { info: () => undefined, warn: () => undefined },
    patched: () => true,
    setCurrentDetails: () => undefined,
    setHandler: () => undefined,
    sleep: () => Promise.resolve(),
    workflowInfo: () => ({ runId: 'run', originalExecutionRunId: 'run' }),
    proxyActivities: () => new Proxy({}, { get: (_, name) => ask(String(name)) }),
  };
}
