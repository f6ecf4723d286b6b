// Part of the bundle for comparing replays: tells what a workflow asks for, before
// Temporal reduces it to commands. It hands on the very promises of the SDK: with an `await` of its own, what
// goes on beside an activity (an answer that is taken) would overtake it, in another order than it once did.
import {
  type ActivityOptions,
  proxySinks,
  type Sinks,
  type WorkflowInterceptors,
  type WorkflowInterceptorsFactory,
} from '@temporalio/workflow';

export interface RecordedCommand {
  readonly kind: 'activity' | 'timer' | 'signal' | 'child' | 'end';
  /** Of its kind, as the history has it; 0 for the end. */
  readonly seq: number;
  /** Type of the activity or the child, name of the signal. */
  readonly name: string;
  readonly about: Readonly<Record<string, unknown>>;
}

export interface CommandSinks extends Sinks {
  readonly commands: { told(command: RecordedCommand): void };
}

const { commands } = proxySinks<CommandSinks>();

export const interceptors: WorkflowInterceptorsFactory = (): WorkflowInterceptors => ({
  inbound: [
    {
      execute: (input, next) => {
        const running = next(input);
        running.then(
          result => commands.told({ kind: 'end', seq: 0, name: 'completed', about: { result } }),
          (error: unknown) => {
            const message = error instanceof Error ? error.message : String(error);
            commands.told({ kind: 'end', seq: 0, name: 'failed', about: { message } });
          },
        );
        return running;
      },
    },
  ],
  outbound: [
    {
      scheduleActivity: (input, next) => {
        const { seq, activityType, args, options } = input;
        commands.told({ kind: 'activity', seq, name: activityType, about: { args, ...limitsOf(options) } });
        return next(input);
      },
      startTimer: (input, next) => {
        commands.told({ kind: 'timer', seq: input.seq, name: '', about: { durationMs: input.durationMs } });
        return next(input);
      },
      signalWorkflow: (input, next) => {
        const { seq, signalName, args, target } = input;
        commands.told({ kind: 'signal', seq, name: signalName, about: { args, target } });
        return next(input);
      },
      startChildWorkflowExecution: (input, next) => {
        const { seq, workflowType, options } = input;
        const { workflowId, taskQueue, args } = options;
        commands.told({ kind: 'child', seq, name: workflowType, about: { args, workflowId, taskQueue } });
        return next(input);
      },
    },
  ],
});

function limitsOf(options: ActivityOptions): Record<string, unknown> {
  const { taskQueue, startToCloseTimeout, scheduleToCloseTimeout, heartbeatTimeout, retry } = options;
  return { taskQueue, startToCloseTimeout, scheduleToCloseTimeout, heartbeatTimeout, retry };
}
