// Judges what was found of a share.
import { describeTemporal } from '../../activities/share/batch/hold';
import type { ShareTraits } from '../../activities/share/files/share-traits';
import { createPaint, toDurationText, toSizeText } from '../session/terminal-text';
import { describeIntakes, type ShareIntake } from '../status/share-intake';
import { type Asked, type Finding, judgesOf } from './finding';
import { describeSkew, isSkewed } from './judge-clock';
import type { OpenedFacts, ShareFacts, WatchFacts } from './look-at-share';

/** A watcher that has missed so many signs of life is not at work any more. */
const BEATS = 3;
const ROOM_FOR_SOME = 16;
const WHILE_UNKNOWN = 'while our Temporal cannot be asked';

export function judgeShare(facts: ShareFacts, command: string): readonly Finding[] {
  const { name, folder, root, own, keyId, faults, opened } = facts;
  const check = `share ${name}`;
  const { look, wrong } = judgesOf(check);
  const rest = (why: string) => judgesOf(`${check}, the rest`).notAsked(why);
  if (root.kind !== 'reachable') {
    return [wrong(...describeUnreached(folder, root)), rest('the share is not to be seen from here.')];
  }
  if (own?.kind === 'missing') {
    const todo =
      'If this share was in use, mount it: this is an empty folder in its place. If it is new, the first start makes its folders.';
    return [look(`${folder} is there, but Drawbridge has never worked in it.`, todo)];
  }
  if (own !== undefined && own.kind !== 'reachable')
    return [wrong(...describeUnreached(`${folder}/.drawbridge`, own))];
  if (faults !== undefined) {
    return [
      ...faults.map(({ setting, text, fix }) => wrong(`${setting}: ${text}`, fix)),
      rest('the share cannot be used as it is.'),
    ];
  }
  if (opened === undefined) {
    const sealed = keyId === undefined ? 'it was in use' : `it is sealed with key ${keyId.slice(0, 16)}`;
    const todo =
      'Give this host the key of the others before anything is started on it, or put back the state folder that had it (docs/cluster.md).';
    return [wrong(`${sealed}, and this host has no key.`, todo), rest('nothing on it can be read without.')];
  }
  if ('why' in opened) return [wrong(`it cannot be looked at: ${opened.why}`)];
  const { traits, watch, intake } = opened.value;
  return [
    judgeRoom(check, folder, opened.value),
    judgeTraits(`${check}, file system`, traits),
    judgeWatch(`${check}, watcher`, watch, command),
    ...(intake === undefined
      ? [judgesOf(`${check}, batches`).notAsked(`whose they are is not known ${WHILE_UNKNOWN}.`)]
      : judgeIntake(`${check}, batches`, intake, command)),
  ];
}

function describeUnreached(
  path: string,
  found: Exclude<ShareFacts['root'], { kind: 'reachable' }>,
): readonly [text: string, todo: string] {
  switch (found.kind) {
    case 'missing':
      return [`${path} is not there.`, 'Mount the share; create the folder only if the share is new.'];
    case 'hung':
      return [
        `${path} does not answer: the mount hangs.`,
        'Look at its server and at the mount. What waits goes on by itself.',
      ];
    case 'failing':
      return [
        `${path} cannot be read (${found.code}).`,
        'Give the account that Drawbridge runs under the right to it.',
      ];
  }
}

function judgeRoom(check: string, folder: string, { freeBytes, minFreeBytes }: OpenedFacts): Finding {
  const { ok, look, wrong } = judgesOf(check);
  const text = `${folder} is there, with its folders, and can be written`;
  if ('why' in freeBytes) return look(`${text}, but does not tell what room is left: ${freeBytes.why}`);
  const room = `${text}; ${toSizeText(freeBytes.value)} left`;
  if (freeBytes.value < minFreeBytes)
    return wrong(`${room}: nothing is taken in below ${toSizeText(minFreeBytes)}.`, 'Make room there.');
  if (freeBytes.value < ROOM_FOR_SOME * minFreeBytes)
    return look(`${room}.`, `Make room: nothing is taken in below ${toSizeText(minFreeBytes)}.`);
  return ok(`${room}.`);
}

function judgeTraits(check: string, traits: Asked<ShareTraits>): Finding {
  const { ok, look } = judgesOf(check);
  if ('why' in traits) return look(`it cannot be tried out: ${traits.why}`);
  const { hasLinks, foldsCase, foldsAccents, clock } = traits.value;
  const text = [
    hasLinks ? 'hard links' : 'no hard links (files are moved by a placeholder)',
    foldsCase ? 'A.pdf and a.pdf are one file' : 'A.pdf and a.pdf are two files',
    foldsAccents ? 'accents in one or two characters are one' : 'accents in one or two characters differ',
  ].join(', ');
  return isSkewed(clock)
    ? look(
        `${text}; its clock is ${describeSkew(clock)}.`,
        'Set both by a time server: the times of files tell little as they are.',
      )
    : ok(`${text}; its clock is ours.`);
}

function judgeWatch(check: string, watch: Asked<WatchFacts | undefined>, command: string): Finding {
  const { ok, look, wrong, notAsked } = judgesOf(check);
  if ('why' in watch) return look(`who watches it cannot be read: ${watch.why}`);
  const start = `Start a watcher on a host that sees it: ${command} watch`;
  if (watch.value === undefined) return look('nobody has watched it yet.', start);
  const { temporal, isOurs, silentMs, beatMs, takeOverMs } = watch.value;
  const who = describeTemporal(temporal);
  const isSilent = silentMs === undefined || silentMs > BEATS * beatMs;
  const last =
    silentMs === undefined ? 'no sign of life' : `last sign of life ${toDurationText(silentMs)} ago`;
  if (isOurs === undefined)
    return notAsked(`whether the one that watches is ours is not known ${WHILE_UNKNOWN}: ${who}, ${last}.`);
  if (isOurs)
    return isSilent
      ? wrong(`this Temporal watches it, ${last}: files stay in drop/.`, start)
      : ok(`watched by this Temporal, ${last}.`);
  if (!isSilent) {
    const todo =
      'What is dropped goes by that one: ask there. If it is not to be, end it there, then here: ' +
      `${command} resume --take-over`;
    return look(`another Temporal watches this share: ${who}, ${last}.`, todo);
  }
  const todo = `A watcher here follows it once it was silent for ${toDurationText(takeOverMs)}; if it is gone for good, at once: ${command} resume --take-over`;
  return wrong(`another Temporal watches this share, and stands still: ${who}, ${last}.`, todo);
}

/** Judges the batches. That the share is watched elsewhere, or has no room, is told by lines of their own. */
function judgeIntake(check: string, intake: ShareIntake, command: string): readonly Finding[] {
  const { ok, look } = judgesOf(check);
  const { stoppedBy, open, maxOpen } = intake;
  const isTold = stoppedBy === 'watched-elsewhere' || stoppedBy === 'no-space';
  const paint = createPaint({ isTTY: false });
  const text = describeIntakes([isTold ? { ...intake, stoppedBy: null } : intake], command, paint);
  const lines = text === '' ? [] : text.split('\n').map(line => line.replace(/^Share [^:]*: /, ''));
  if (lines.length > 0) return lines.map(line => look(line));
  return [ok(`${open} of at most ${maxOpen} on their way, none has stopped.`)];
}
