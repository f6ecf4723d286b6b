// Has the folders in `test/` of a share tested, each once for what is in it, when nothing in it has changed
// for a while. All that it remembers may be forgotten: Temporal knows which state of a folder was tested.
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { systemClock } from '../../activities/host/clock';
import type { FolderToTest } from '../../activities/share/drop/test-folder';
import type { NamedShare, ShareLogger, TestFolder } from '../../activities/share/share';
import { SERVICE_TASK_QUEUE } from '../../workflows/contract';
import { escapeMarkdown } from '../../workflows/run/decide/escape-markdown';
import type { CheckFilesInput } from '../../workflows/test-run/check-files-contract';

/** After a look that takes long, a longer rest. */
const REST = 10;
const MOST_SUMMARY_UNITS = 60;

export interface WatchTestsOptions {
  readonly share: NamedShare & Pick<TestFolder, 'foldersToTest'>;
  /** @returns false where it was tested before as it is now. */
  readonly start: (share: NamedShare, folder: FolderToTest) => Promise<boolean>;
  readonly logger: ShareLogger;
  readonly signal: AbortSignal;
}

interface Seen {
  readonly state: string;
  readonly sinceMs: number;
  isStarted: boolean;
}

/** Runs until aborted. */
export async function watchTests(options: WatchTestsOptions): Promise<void> {
  const { share, signal } = options;
  const { scanEveryMs, settleMs, quietMs } = share.config;
  const seen = new Map<string, Seen>();
  const ended = new Promise<void>(resolve =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  while (!signal.aborted) {
    const beganMs = systemClock.monotonicMs();
    // Trouble of the share is told by whoever needs it for the work, not here; a mount may hang.
    const looking = lookForTests(options, seen, settleMs + quietMs).catch(() => undefined);
    await Promise.race([looking, ended]);
    const restMs = Math.max(scanEveryMs, REST * (systemClock.monotonicMs() - beganMs));
    await delay(restMs, undefined, { signal }).catch(() => undefined);
  }
}

async function lookForTests(
  { share, start, logger }: WatchTestsOptions,
  seen: Map<string, Seen>,
  quietMs: number,
): Promise<void> {
  const folders = await share.foldersToTest();
  const names = new Set(folders.map(({ name }) => name));
  for (const name of seen.keys()) if (!names.has(name)) seen.delete(name);
  for (const folder of folders) {
    const known = seen.get(folder.name);
    if (known === undefined || known.state !== folder.state) {
      seen.set(folder.name, { state: folder.state, sinceMs: systemClock.monotonicMs(), isStarted: false });
    } else if (!known.isStarted && systemClock.monotonicMs() - known.sinceMs >= quietMs) {
      const isNew = await start(share, folder);
      known.isStarted = true;
      if (!isNew) continue;
      logger.info({ event: 'test-started', share: share.name, folder: folder.name }, 'A folder is tested');
    }
  }
}

/** Starting a test of one state of a folder twice is starting it once, unless it failed. */
export function createTestStarter(client: Client): WatchTestsOptions['start'] {
  return async ({ name: share, config: { project } }, { name, state }) => {
    const key = createHash('sha256').update(`${name}\n${state}`).digest('hex').slice(0, 20);
    const input: CheckFilesInput = { share, folder: name };
    try {
      await client.workflow.start('checkFilesWorkflow', {
        workflowId: `check/${project.projectId}/${share}/${key}`,
        taskQueue: SERVICE_TASK_QUEUE,
        args: [input],
        workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
        workflowIdConflictPolicy: 'FAIL',
        staticSummary: `Test of ${escapeMarkdown(name, MOST_SUMMARY_UNITS)} on share ${share}`,
        memo: { share },
      });
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return false;
    }
  };
}
