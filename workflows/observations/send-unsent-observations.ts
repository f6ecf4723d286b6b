// Mails all unsent observations of a project, after somebody has said that these, and how many, are meant
// (specification, Limits: it sends all unsent items, never one).
import { allHandlersFinished, condition, log, setHandler } from '@temporalio/workflow';
import type { ObservationActivities, UnsentObservations } from '../../activities';
import { ServiceCalls } from '../run/activity-calls';
import { asking } from '../run/asking';
import { explainFaults, parseInput } from '../run/parse-input';
import { requestRefused, withRefusalsExplained } from '../run/refused-request';
import { RunProgress } from '../run/run-progress';
import {
  confirmInput,
  confirmUpdate,
  type SendUnsentInput,
  type SendUnsentResult,
  sendUnsentInput,
  unsentQuery,
} from './observation-contract';

const EXAMPLE = { companyId: '5001', projectId: '7001' };
const DEFAULT_WAIT_MINUTES = 60;

export async function sendUnsentObservationsWorkflow(rawInput: SendUnsentInput): Promise<SendUnsentResult> {
  const input = parseInput(sendUnsentInput, rawInput, EXAMPLE);
  const project = { companyId: input.companyId, projectId: input.projectId };
  const progress = new RunProgress(`Unsent observations of project ${input.projectId}`);
  const calls = new ServiceCalls<ObservationActivities>();
  calls.whenBlocked(progress);
  let unsent: UnsentObservations | null = null;
  let confirmed: UnsentObservations | null = null;
  let round = 1;
  setHandler(unsentQuery, () =>
    unsent === null
      ? null
      : { count: unsent.ids.length, names: unsent.names, round, isConfirmed: confirmed !== null },
  );
  setHandler(
    confirmUpdate,
    ({ count }) => {
      confirmed = unsent;
      return { confirmed: count };
    },
    {
      validator: raw => {
        const parsed = confirmInput.safeParse(raw);
        if (!parsed.success) throw new Error(explainFaults(parsed.error, { count: 12 }));
        if (unsent === null) throw new Error('They are still being counted; ask again in a moment.');
        if (parsed.data.count !== unsent.ids.length)
          throw new Error(`${unsent.ids.length} observations are unsent, not ${parsed.data.count}.`);
      },
      description: 'Mails ALL unsent observations of the project: {"count": how many there are}.',
    },
  );
  return await withRefusalsExplained(async () => {
    progress.tell('Counting');
    unsent = await calls.service.findUnsent(() => ({ project }), 'Count the unsent observations');
    if (unsent.ids.length === input.confirmedCount) confirmed = unsent;
    for (;;) {
      const found: UnsentObservations = unsent;
      const count = found.ids.length;
      if (count === 0) return end(progress, { outcome: 'nothing-unsent', count });
      progress.tell(
        `${count} observations are unsent. The update "confirm" with {"count": ${count}} mails ALL of them: ${found.names.join('; ')}`,
      );
      const waitMs = (input.waitMinutes ?? DEFAULT_WAIT_MINUTES) * 60_000;
      const isConfirmed = await condition(() => confirmed !== null, waitMs);
      await condition(allHandlersFinished);
      if (!isConfirmed) return end(progress, { outcome: 'not-confirmed', count });
      const result = await calls.service.sendUnsent(
        () => ({ project, confirmedIds: found.ids, asked: asking() }),
        `Mail the ${count} unsent observations`,
      );
      if (result.kind === 'refused') throw requestRefused(`${result.reason.text} ${result.reason.fix}`);
      if (result.kind === 'sent') return end(progress, { outcome: 'sent', count });
      progress.note('More had come meanwhile; nothing was sent, and they have to be confirmed anew.');
      unsent = result.unsent;
      confirmed = null;
      round++;
    }
  });
}

function end(progress: RunProgress, result: SendUnsentResult): SendUnsentResult {
  progress.tell(`Ended: ${result.outcome}`);
  log.info(`Unsent observations: ${result.outcome}`, { event: 'send-unsent', ...result });
  return result;
}
