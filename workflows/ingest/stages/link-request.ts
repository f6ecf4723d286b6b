// What is asked of the service when files are linked (Step 6): which values go along, and whether they may be
// written over what stands there.
import type { LinkUploadsInput, LinkUploadsResult, ProbeResult } from '../../../activities';
import { asking } from '../../run/asking';
import { countOf } from '../../run/decide/count-of';
import type { BatchState } from '../batch-state';
import { tabulateWrites } from '../decide/tabulate-writes';
import type { DocumentState } from '../document-state';
import type { FieldWrite } from '../ingest-contract';
import { PATIENT_ATTEMPTS, SUSPECT_ATTEMPTS } from '../step-health';
import { askUntilResumed } from './outage';

/** Splits them by whether they were COMPLETED once: one request has one rule for what may be written over. */
export function partByExposure(group: readonly DocumentState[]): readonly (readonly DocumentState[])[] {
  const exposed = group.filter(state => state.exposed);
  const others = group.filter(state => !state.exposed);
  return [others, exposed].filter(part => part.length > 0);
}

/** Asks for all of them in one request. */
export async function askToLink(
  batch: BatchState,
  group: readonly DocumentState[],
): Promise<LinkUploadsResult> {
  return await batch.calls.service.linkUploads(
    () => toLinkInput(batch, group),
    `Link ${countOf(group.length, 'file')}`,
  );
}

/**
 * Tries one after the other, in this order, until the service links one of them; not for long where sending
 * the file again may help.
 */
export function askToLinkOne(
  batch: BatchState,
  waiting: readonly DocumentState[],
  mayResend: boolean,
): Promise<ProbeResult<LinkUploadsResult>> {
  return askUntilResumed(batch, isAgain =>
    batch.calls.service.probeLinking(
      () => ({
        ...toLinkInput(batch, waiting, isAgain),
        giveUpAfter: mayResend ? SUSPECT_ATTEMPTS : PATIENT_ATTEMPTS,
      }),
      `Wait until the service links files again: one of ${waiting.length} at a time`,
    ),
  );
}

function toLinkInput(batch: BatchState, group: readonly DocumentState[], isAgain = false): LinkUploadsInput {
  const { fieldIds, rows } = tabulateWrites(group.map(writesOf));
  const items = group.map((state, position) => {
    const { uploadId, fileUploadId } = state;
    if (uploadId === undefined || fileUploadId === undefined)
      throw new RangeError('Linked before it was sent');
    state.askToLink();
    const writes = rows[position] ?? [];
    const index = state.document.index;
    return { index, uploadId, fileUploadId, writes, ...(state.relink ? { relink: true } : {}) };
  });
  const onlyEmpty = group.every(state => state.exposed) ? { onlyEmpty: true } : {};
  const asked = { ...asking(), ...(isAgain ? { again: true } : {}) };
  return { project: batch.project, fieldIds, items, asked, ...onlyEmpty };
}

/**
 * Values that were seen in the service are people's from then on; where none was seen, ours may never have
 * arrived.
 */
function writesOf({ exposed, eventId, plan }: DocumentState): readonly FieldWrite[] {
  return exposed && eventId !== undefined ? [] : (plan?.now ?? []);
}
