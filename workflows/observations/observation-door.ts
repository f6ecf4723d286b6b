// An observation by its id in the service: what is said to `observation/<project>/<id>` reaches the run that
// carries it.
import {
  ApplicationFailure,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { resumeSignal } from '../contract';
import { respondSignal, reviewedSignal, workDoneSignal } from './observation-contract';

/** Runs until the run behind it has ended. */
export async function observationDoorWorkflow(): Promise<void> {
  const { parent } = workflowInfo();
  if (parent === undefined) throw refuseStart();
  const waiting: { readonly name: string; readonly said: unknown }[] = [];
  for (const signal of [resumeSignal, workDoneSignal, respondSignal, reviewedSignal]) {
    setHandler(signal, (said: unknown) => void waiting.push({ name: signal.name, said }), {
      description: `Passed on to ${parent.workflowId}.`,
    });
  }
  const behind = getExternalWorkflowHandle(parent.workflowId);
  for (;;) {
    await condition(() => waiting.length > 0);
    const next = waiting.shift();
    if (next === undefined) continue;
    try {
      await behind.signal(next.name, next.said);
    } catch {
      // It has ended, and so does this.
      return;
    }
    if (workflowInfo().continueAsNewSuggested && waiting.length === 0) {
      await continueAsNew<typeof observationDoorWorkflow>();
    }
  }
}

function refuseStart(): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    'A run that carries an observation opens this by itself. Start observationWorkflow.',
    'INVALID_INPUT',
  );
}
