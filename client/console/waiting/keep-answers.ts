// What came of answers, kept for a while: others who have the same documents before them are told.
import { sayAnswer } from '../../../workflows/ingest/decide/describe-answer';
import type { AnswersTold, SaidOfDocuments } from '../contract/waiting';
import type { ConsoleDeps, Person } from '../serve/module';
import type { GivenAnswers } from './given-answers';
import type { HeldListing } from './held-listing';
import type { BatchAnswers } from './send-answers';

interface KeepDeps {
  readonly deps: Pick<ConsoleDeps, 'logger' | 'now'>;
  readonly given: GivenAnswers;
  readonly listing: Pick<HeldListing, 'known'>;
}

/** As it stands in the receipt: one line, and not longer than there. */
export function nameOf({ name }: Person): string {
  return (
    name
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, 100) || 'somebody'
  );
}

/** Keeps what was taken, so that others are told; adds to what was refused who had answered before. */
export function keepAnswers(
  { deps, given, listing }: KeepDeps,
  { share, batchId, said }: BatchAnswers,
  { taken, refused }: AnswersTold,
  person: Person,
): AnswersTold {
  const by = nameOf(person);
  const counts = { taken: taken.length, refused: refused.length };
  deps.logger.info(
    { event: 'console-answers', by, share, batchId, ...counts },
    'Answers were given in the page',
  );
  const at = deps.now().toISOString();
  const batch = listing.known.batches.find(one => one.share === share && one.batchId === batchId);
  const told = refused.map(one => {
    const first = one.before ?? given.find({ share, batchId, index: one.index });
    // The question was asked anew after that answer, which is then not why this one was refused.
    const sinceMs = batch?.held.find(({ index }) => index === one.index)?.sinceMs ?? 0;
    if (first === undefined || Date.parse(first.at) < sinceMs) return { ...one, before: null };
    return { ...one, before: { by: first.by, at: first.at, said: first.said } };
  });
  for (const { index } of taken) {
    const {
      documents: _d,
      share: _s,
      batchId: _b,
      ...what
    } = said.find(({ documents }) => documents.includes(index)) as SaidOfDocuments;
    const values = Object.entries(what.values ?? {}).map(([field, value]) => [
      field,
      [value].flat().join('; '),
    ]);
    given.add({
      share,
      batchId,
      index,
      by,
      at,
      said: sayAnswer({ document: index, ...what }),
      values: Object.fromEntries(values),
    });
  }
  return { taken, refused: told };
}
