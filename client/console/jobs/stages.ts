// How far each document of a batch has come, by what its journal notes. Pure.
import { isDone } from '../../../activities/share/batch/kept-receipt';
import type { BatchDocuments } from '../../../activities/share/receipt/documents-so-far';
import { texts } from '../texts/texts';

/** In their order; `ended` for what has its outcome. */
const STAGES = ['dropped', 'taken-over', 'checked', 'uploaded', 'analysed', 'ended'] as const;
export type Stage = (typeof STAGES)[number];

export interface Reached {
  readonly stage: Stage;
  /** When; undefined where it was not noted. */
  readonly atMs: number | undefined;
}

/** By index. */
export function stagesOf({ sealed, rows, records }: BatchDocuments): readonly Reached[] {
  const reached: Reached[] = (sealed?.manifest.files ?? []).map(() => ({
    stage: 'taken-over',
    atMs: undefined,
  }));
  const reach = (index: number, stage: Stage, atMs: number) => {
    const known = reached[index];
    if (known === undefined || STAGES.indexOf(known.stage) >= STAGES.indexOf(stage)) return;
    reached[index] = { stage, atMs };
  };
  for (const { record, atMs } of records) {
    switch (record.kind) {
      case 'created':
        for (const { index } of record.uploads) reach(index, 'checked', atMs);
        break;
      case 'transferred':
        for (const { index } of record.files) reach(index, 'uploaded', atMs);
        break;
      case 'completed':
      case 'intent':
        for (const { index } of record.uploads) reach(index, 'analysed', atMs);
        break;
      case 'outcome':
        for (const { index } of record.outcomes) reach(index, 'ended', atMs);
        break;
      default:
    }
  }
  return rows.map(({ index, outcome }) => {
    const known = reached[index] ?? { stage: 'taken-over' as const, atMs: undefined };
    const hasEnded = outcome !== 'open' && outcome !== 'held';
    return hasEnded && known.stage !== 'ended' ? { stage: 'ended', atMs: undefined } : known;
  });
}

export interface StageCounts {
  takenOver: number;
  checked: number;
  uploaded: number;
  analysed: number;
  submitted: number;
}

/** How many have come at least so far. What was set apart counts as far as its journal shows. */
export function countStages(parts: readonly BatchDocuments[]): StageCounts {
  const counts: StageCounts = { takenOver: 0, checked: 0, uploaded: 0, analysed: 0, submitted: 0 };
  for (const part of parts) {
    const stages = stagesOf(part);
    for (const { index, outcome, uploadId } of part.rows) {
      const { stage } = stages[index] ?? { stage: 'taken-over' };
      const at = STAGES.indexOf(stage);
      const isThrough = isDone(outcome);
      const hasUpload = uploadId !== undefined || isThrough;
      counts.takenOver += 1;
      if (stage === 'ended' ? hasUpload : at >= STAGES.indexOf('checked')) counts.checked += 1;
      if (stage === 'ended' ? isThrough : at >= STAGES.indexOf('uploaded')) counts.uploaded += 1;
      if (stage === 'ended' ? isThrough : at >= STAGES.indexOf('analysed')) counts.analysed += 1;
      if (isThrough) counts.submitted += 1;
    }
  }
  return counts;
}

/** What is happening to it, in people's words; null for what its outcome says. */
export function tellStage(stage: Stage): string | null {
  switch (stage) {
    case 'dropped':
      return texts.jobs.stage.dropped;
    case 'taken-over':
      return texts.jobs.stage.takenOver;
    case 'checked':
      return texts.jobs.stage.checked;
    case 'uploaded':
      return texts.jobs.stage.uploaded;
    case 'analysed':
      return texts.jobs.stage.analysed;
    case 'ended':
      return null;
  }
}
