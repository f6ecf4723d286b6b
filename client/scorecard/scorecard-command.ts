// `drawbridge scorecard`: what the analysis of the service has been worth, by the receipts of a share. No
// service, no Temporal.
import { systemClock } from '../../activities/host/clock';
import type { Share } from '../../activities/share/share';
import { chooseShare } from '../session/choose-project';
import { CliError } from '../session/cli-error';
import { type AddCommand, print } from '../session/command';
import { loadCommandConfig } from '../session/command-config';
import { withLocalShares } from '../session/seen-shares';
import { sharesOf } from '../session/stand-in';
import { describeScorecard, type Scorecard, toScorecardJson } from './describe-scorecard';
import { Tally } from './tally-analysis';

const TELL_EVERY_MS = 2_000;

export const addScorecardCommand: AddCommand = (declared, globals) => {
  declared
    .option('--share <name>', 'by the receipts of this share')
    .option('--json', 'as JSON')
    .action(async (options: { share?: string; json?: true }) => {
      const config = loadCommandConfig(globals(), 'leave');
      const share = chooseShare(sharesOf(config), options.share);
      const scorecard = await withLocalShares(config, [share], async ({ seen: [seen], unseen: [unseen] }) => {
        if (seen === undefined) throw new CliError(`Share ${share.name} cannot be read: ${unseen?.why}.`);
        return await tallyShare(seen);
      });
      print(
        options.json === true
          ? JSON.stringify(toScorecardJson(scorecard), undefined, 2)
          : describeScorecard(scorecard),
      );
    });
};

/** Progress goes to stderr: a year of receipts takes minutes. */
async function tallyShare(share: Share): Promise<Scorecard> {
  const tally = new Tally();
  let unread = 0;
  let toldMs = systemClock.monotonicMs();
  await share.readFinished({
    onReceipt: receipt => tally.add(receipt),
    onBad: () => {
      unread += 1;
    },
    onProgress: ({ month, batches }) => {
      if (systemClock.monotonicMs() - toldMs < TELL_EVERY_MS) return;
      toldMs = systemClock.monotonicMs();
      const named = `${month.slice(0, 4)}-${month.slice(4)}`;
      process.stderr.write(`Reading the receipts of ${share.name}: ${batches} batches, now in ${named}\n`);
    },
  });
  return { share: share.name, tally, unread };
}
