// Recorded histories replay with the workflows of this build, and do the same things: a deploy does not break
// batches that are on their way. docs/changing-workflows.md says what to do when one of these fails.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { compareCommands, Replayer, readCommands } from '../setup/compare-histories';
import {
  listLostHistories,
  RELEASE_BEFORE,
  type RecordedHistory,
  readHistories,
} from '../setup/recorded-histories';
import { recordingBundle } from '../setup/temporal';

/**
 * What this build asks for otherwise than the one that a history was recorded with, on purpose; replay does
 * not mind other inputs.
 */
const CHANGED_SINCE: readonly RegExp[] = [
  // Nobody is removed who has another template by now; workers before pass the field by.
  /^activity removeMember: args\.0\.expected was absent and is \{/,
  // Whether a refused removal may have been made before, and which template a late list shows, is known.
  /^activity removeMember: args\.0\.asked was absent and is \{/,
  /^activity addMember: args\.0\.previous was absent and is \{/,
  // The entry of a row that cannot be planned any more has its row; workers before pass the field by.
  /^activity checkTimesheet: args\.0\.unplanned was absent and is \[/,
  // Rows that entries by hand on other sheets may stand for are known; workers before pass the field by.
  /^activity findTimesheet: args\.0\.rows was absent and is \[/,
  // Which entries were answered, and may be shown late, is known; workers before pass the fields by.
  /^activity checkTimesheet: args\.0\.(answered|updated) was absent and is \[/,
  // A run says that it asks for what must be had once; workers before look at every attempt.
  /^activity (createObservation|addResponse|attachFiles|sendUnsent|putChangeOrder|putLineItems|enterTimecards|signTimesheet): args\.0\.asked was absent and is \{/,
  // A found package may be older than what the survey showed; workers before pass the field by.
  /^activity findCompanion: args\.0\.isFound was absent and is true$/,
  // A run says how it has seen the item that it made; workers before look at it each time.
  /^activity attachFiles: args\.0\.seen was absent and is \{/,
  // Who makes none where one is there says so; workers before look at once.
  /^activity findTwins: args\.0\.isToStop was absent and is true$/,
  // That a named item is not there is told at once; workers before say that of each item.
  /^activity readObservation: args\.0\.isNamed was absent and is true$/,
  // Who asks says that a call is made again; workers before look at every attempt from the second on.
  /^activity \w+: args\.0\.asked\.again was absent and is true$/,
  /^activity createTimesheet: args\.0\.again was (false|true) and is absent$/,
  // A run says what it has made, which a list may show late; workers before pass the field by.
  /^activity readHooks: args\.0\.made was absent and is \{/,
  // A run says that it can take what only later workers of shares tell.
  /^activity openBatch: args\.0\.knows was absent and is 1$/,
  // A run says until when it links a file, so that sending does not go on with what it would not link.
  /^activity transferFiles: args\.0\.linkWithinMs was absent and is \d+$/,
  // What was answered, or is in line, is told as that, and is no longer among what is held.
  /^activity settleUp: args\.0\.goingOn was absent and is \[/,
  /^activity settleUp: args\.0\.held\.\d+ was .* and is absent$/,
  // What is no big file does not wait behind those that are.
  /^activity \w+: taskQueue was "drawbridge-long-transfer-tender" and is "drawbridge-aside-tender"$/,
  // Those behind it move up.
  /^activity settleUp: args\.0\.held\.\d+\.index was \d+ and is \d+$/,
  /^activity settleUp: args\.0\.held\.\d+\.reason\.code was "earlier-revision" and is /,
  /^activity settleUp: args\.0\.held\.\d+\.reason\.text was "Waits for revision .+ and is /,
  /^activity settleUp: args\.0\.held\.\d+\.reason\.fix was "It goes on by itself when .+ and is /,
  // Who asks to write over what stands there says so, and as what it was read; workers before pass it by.
  /^activity writeValues: args\.0\.asked was absent and is \{/,
  /^activity writeValues: args\.0\.again was absent and is true$/,
  /^activity writeValues: args\.0\.items\.\d+\.eventId was absent and is "/,
  // Names that people answer for linked documents are asked for; workers before pass the field by.
  /^activity planDocuments: args\.0\.withName was absent and is true$/,
  // A file that waits counts from when the run heard of it; workers before count from the sender's own date.
  /^activity awaitFiles: args\.0\.files\.\d+\.heardAtMs was absent and is \d+$/,
  // What is left in the service with another file's bytes is told whichever way its document ends.
  /^activity settleUp: args\.0\.outcomes\.\d+\.notes\.\d+ was absent and is "Upload U\d+ in the service has a file /,
  // A run that has nothing else to do asks to hear that this lasts long; workers before pass the field by.
  /^activity awaitFiles: args\.0\.tellsLong was absent and is true$/,
];

const recorded = readHistories();
const before = readHistories(RELEASE_BEFORE);

let replayer: Replayer;

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  replayer = new Replayer(recordingBundle());
});

afterAll(async () => {
  await replayer.close();
});

async function differences(history: RecordedHistory): Promise<string[]> {
  const all = compareCommands(readCommands(history), await replayer.replay(history));
  return all.filter(difference => !CHANGED_SINCE.some(change => change.test(difference)));
}

test('there are histories of every kind of batch', () => {
  expect(recorded.length).toBeGreaterThanOrEqual(20);
});

test('every history of the last release is there as it was, or kept beside', () => {
  expect(listLostHistories()).toEqual([]);
});

describe('of this release', () => {
  test.each(recorded)('$name', async history => {
    expect(await differences(history)).toEqual([]);
  });
});

// Nothing was released before 0.1.0; docs/changing-workflows.md says when this folder comes to be.
if (before.length > 0) {
  describe('of the release before', () => {
    test.each(before)('$name', async history => {
      expect(await differences(history)).toEqual([]);
    });
  });
}
