// Has the template at the root of a share looked at: when the watcher starts, and every hour. Several
// watchers share one run, and how often the service is asked is noted on the share.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { NamedShare } from '../../activities/share/share';
import { SERVICE_TASK_QUEUE } from '../../workflows/contract';
import type { KeepTemplateInput, KeepTemplateResult } from '../../workflows/template/keep-template-contract';

/** `soonMs`: until the next look after one that failed. */
const TIMES = { everyMs: 60 * 60_000, soonMs: 10 * 60_000 };

export interface KeepTemplateOptions {
  readonly share: NamedShare;
  /** Resolves when the look has ended, which takes as long as the service is away. */
  readonly look: (share: NamedShare) => Promise<KeepTemplateResult['template']>;
  readonly signal: AbortSignal;
  readonly times?: typeof TIMES;
}

/** Runs until aborted; ends at once where the share is to have no template. */
export async function keepTemplate({
  share,
  look,
  signal,
  times = TIMES,
}: KeepTemplateOptions): Promise<void> {
  if (share.config.register?.template === undefined) return;
  const ended = new Promise<undefined>(resolve => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  while (!signal.aborted) {
    // A failure is not told here: whoever needs what is away for the work tells of it.
    const seen = await Promise.race([look(share).catch(() => undefined), ended]);
    const isDone = seen !== undefined && seen !== 'cannot-ask' && seen !== 'cannot-write';
    await delay(isDone ? times.everyMs : times.soonMs, undefined, { signal }).catch(() => undefined);
  }
}

/** A look that is under way already is the one that is asked for. */
export function createTemplateLook(client: Client): KeepTemplateOptions['look'] {
  return async ({ name: share, config: { project } }) => {
    const input: KeepTemplateInput = { share };
    const { template }: KeepTemplateResult = await client.workflow.execute('keepTemplateWorkflow', {
      workflowId: `template/${project.projectId}/${share}`,
      taskQueue: SERVICE_TASK_QUEUE,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: `Template of share ${share}`,
      memo: { share },
    });
    return template;
  };
}
