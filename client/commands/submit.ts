// `drawbridge submit`: carries files in once, without a watcher, and waits for their batches.
import { randomUUID } from 'node:crypto';

import type { ShareConfig } from '../../activities/share/share-config';
import { registerSearchAttributes } from '../../workers/temporal/search-attributes';
import { SERVICE_TASK_QUEUE } from '../../workflows/contract';
import type { BatchSummary, IngestFilesResult } from '../../workflows/ingest/ingest-contract';
import { bringIntoDrop } from '../session/bring-into-drop';
import { chooseShare } from '../session/choose-project';
import { EXIT_CODES } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { throwItsWords } from '../session/follow-run';
import { withTemporal } from '../session/session';
import { sharesOf } from '../session/stand-in';
import { toSearchAttributes } from '../session/start-batch';
import { toVisible } from '../session/terminal-text';
import { tellSummary } from './tell-summary';

export const addSubmitCommand: AddCommand = (declared, globals) => {
  declared
    .option('--share <name>', 'which share; may be left out when there is one')
    .option('--no-wait', 'do not wait for the outcome')
    .action(async (files: string[], options: { share?: string; wait: boolean }) => {
      const config = loadCommandConfig(globals(), 'leave');
      const share = chooseShare(sharesOf(config), options.share);
      await withTemporal(config, async session => {
        const attributes = await registerSearchAttributes(session.connection, session.target.namespace);
        // Nothing between this and the start: what a watcher has carried in by then is found no more.
        const paths = await bringIntoDrop(share, files, name =>
          print(`copied into the drop folder: ${name}`),
        );
        const handle = await session.client.workflow.start('ingestFilesWorkflow', {
          workflowId: `submit/${share.name}/${randomUUID()}`,
          taskQueue: SERVICE_TASK_QUEUE,
          args: [{ share: share.name, paths }],
          staticSummary: `Files submitted by hand to share ${share.name}`,
          memo: { share: share.name },
          ...(attributes.kind === 'registered'
            ? {
                typedSearchAttributes: toSearchAttributes({
                  share: share.name,
                  projectId: share.project.projectId,
                }),
              }
            : {}),
        });
        print(`started ${handle.workflowId}`);
        if (!options.wait) return;
        const { batches, refused = [] } = (await handle
          .result()
          .catch(throwItsWords('Not carried in: '))) as IngestFilesResult;
        for (const batch of batches) print(describeSummary(batch, share));
        for (const { text, fix } of refused) print(toVisible(`not carried in: ${text} ${fix}`));
        if (refused.length > 0 || batches.some(batch => batch.setApart > 0))
          process.exitCode = EXIT_CODES.attention;
      });
    });
};

export function describeSummary(batch: BatchSummary, { folder }: Pick<ShareConfig, 'folder'>): string {
  const receipts = batch.receipts.map(receipt => `\n  receipt: ${folder}/${receipt}`);
  return `batch ${batch.batchId}: ${tellSummary(batch)}${receipts.join('')}`;
}
