// `drawbridge status`: the batches, as a table or as JSON.
import type { BatchProgress } from '../../workflows/contract';
import { type BatchStatus, listBatches } from '../batch-status';
import { loadCommandConfig, openTemporal } from '../session';
import { createPaint, toTable, toVisible } from '../terminal-text';
import { type AddCommand, print, rowCount } from './command';

const DEFAULT_ROWS = 20;

export const addStatusCommand: AddCommand = (program, globals, command) => {
  program
    .command('status')
    .description('list the batches, newest first, and what waits for a person')
    .option('--json', 'as JSON, one array')
    .option('--limit <rows>', 'how many batches at most', rowCount, DEFAULT_ROWS)
    .action(async (options: { json?: true; limit: number }) => {
      const session = await openTemporal(loadCommandConfig(globals(), 'leave'));
      try {
        const batches = await listBatches(session.client, options.limit);
        if (options.json === true) print(JSON.stringify(batches, undefined, 2));
        else print(describeBatches(batches, command, new Date()));
      } finally {
        await session.close();
      }
    });
};

/** The table, and below it each thing that waits for a person with the command that answers it. */
export function describeBatches(batches: readonly BatchStatus[], command: string, now: Date): string {
  if (batches.length === 0) return 'No batches yet. Drop files into a share, or see `drawbridge submit`.';
  const rows = batches.map(batch => [
    batch.batchId,
    batch.share ?? '',
    toStatusText(batch),
    toDocumentsText(batch),
    toAge((batch.closedAt ?? now).getTime() - batch.startedAt.getTime()),
  ]);
  const waiting = batches.flatMap(batch => describeWaiting(batch, command, now));
  const table = toTable([['BATCH', 'SHARE', 'STATUS', 'DOCUMENTS', 'TIME'], ...rows]);
  return waiting.length === 0 ? table : `${table}\n\nWaiting for a person:\n${waiting.join('\n')}`;
}

function toStatusText({ status, progress }: BatchStatus): string {
  if (status !== 'RUNNING') return status.toLowerCase().replaceAll('_', ' ');
  if (progress === undefined) return 'running, no worker answers';
  if (progress.blocked !== undefined) return 'waiting';
  return progress.held.length > 0 ? 'running, some held' : 'running';
}

function toDocumentsText({ progress, summary }: BatchStatus): string {
  if (progress !== undefined) return toStageText(progress);
  if (summary === undefined) return '';
  const { submitted, setApart } = summary;
  return `${submitted + setApart}: ${submitted} submitted${setApart === 0 ? '' : `, ${setApart} set apart`}`;
}

function toStageText(progress: BatchProgress): string {
  const parts = Object.entries(progress.stages).map(([stage, count]) => `${count} ${stage}`);
  return `${progress.documents}: ${parts.join(', ')}`;
}

function describeWaiting({ batchId, progress }: BatchStatus, command: string, now: Date): string[] {
  if (progress === undefined) return [];
  const paint = createPaint(process.stdout);
  const blocked =
    progress.blocked === undefined
      ? []
      : [
          `  ${paint('yellow', batchId)}  ${toVisible(progress.blocked.reason.text)} ${toVisible(progress.blocked.reason.fix)}`,
          `    since ${toAge(now.getTime() - progress.blocked.sinceMs)}; once repaired: ${command} resume ${batchId}`,
        ];
  const held = progress.held.flatMap(document => [
    `  ${paint('yellow', batchId)}  ${toVisible(document.path)}: ${toVisible(document.reason.text)} ${toVisible(document.reason.fix)}`,
    `    set apart in ${toAge(document.untilMs - now.getTime())}; answer: ${command} answer ${batchId} ${document.index} ${
      document.question === 'missing-values'
        ? (document.missing ?? ['Field']).map(label => `--set "${label}=..."`).join(' ')
        : '--decision terminate|retry|set-apart'
    }`,
  ]);
  return [...blocked, ...held];
}

function toAge(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
