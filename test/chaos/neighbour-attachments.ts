// Photos of observations that somebody exchanges while they are looked at, hashed and sent.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../activities/host/error-code';
import type * as AttachmentsModule from '../../activities/share/drop/attachments';
import { CANARY, findLeaks, hide, judgeNeighbours, lookAtHidden } from './neighbour-oracle';
import { type NeighbourRun, taskFor, tell } from './neighbour-run';
import { Stranger } from './neighbour-stranger';

/** What an observation may be told of a file that is not to be sent. */
const REFUSALS = new Set(['file-missing', 'file-refused', 'file-changed']);

export async function tryAttachments(input: NeighbourRun): Promise<void> {
  const { dist, folder, isOtherUser, ms } = input;
  const { findAttachment } = require(
    join(dist, 'activities', 'share', 'drop', 'attachments.js'),
  ) as typeof AttachmentsModule;
  const root = join(folder, 'share');
  const photos = join(root, 'observations');
  const others = join(photos, 'others');
  mkdirSync(others, { recursive: true });
  writeFileSync(join(others, 'plan.pdf'), '%PDF of others');
  chmodSync(photos, 0o777);
  const hidden = join(folder, 'hidden');
  const { names, files: before } = hide(hidden);
  const stranger = new Stranger(
    taskFor(input, root, { names, others: [others], drop: photos, closed: [root], open: [photos] }),
    isOtherUser,
  );
  let [sent, refused] = [0, 0];
  const wanted = [0, 1, 2, 3, 4, 5].flatMap(at => names.map(name => `sub-${at}/${name}`));
  const paths = [...wanted, ...[0, 1, 2, 3, 4, 5, 6, 7].map(at => `loose-${at}.pdf`), 'others/plan.pdf'];
  const endMs = performance.now() + ms;
  for (let turn = 0; performance.now() < endMs; turn++) {
    const path = paths[turn % paths.length] ?? '';
    try {
      const content = await readAsSent(findAttachment, root, path);
      if (content.includes(CANARY)) input.object('no private file reaches the service', path);
      sent += 1;
    } catch (error) {
      if (!REFUSALS.has(codeOf(error) ?? ''))
        input.object('a file that is exchanged is refused', `${path}: ${error}`);
      refused += 1;
    }
  }
  const report = await stranger.end();
  const nothing = { received: [], revisions: [], planted: [], honest: new Map<string, string>() };
  const evidence = { before, after: lookAtHidden(hidden), leaked: findLeaks(root), report, ...nothing };
  for (const [invariant, what] of judgeNeighbours(evidence)) input.object(invariant, what);
  if (sent === 0) input.object('what is a file is sent', 'nothing was');
  input.note(`${sent} sent, ${refused} refused; ${tell(report)}`);
}

/** Twice, as after a token that was renewed. */
async function readAsSent(
  findAttachment: typeof AttachmentsModule.findAttachment,
  root: string,
  path: string,
): Promise<string> {
  const file = await findAttachment(root, path);
  try {
    const parts: string[] = [];
    for (let attempt = 0; attempt < 2; attempt++)
      for await (const part of file.open()) parts.push(Buffer.from(part).toString('latin1'));
    return parts.join('');
  } finally {
    await file.close();
  }
}
