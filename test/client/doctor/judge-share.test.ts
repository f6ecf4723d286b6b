// What is said of a share: whether it is there, who watches it, what its file system can do.
import { judgeShare } from '../../../client/doctor/judge-share';
import type { OpenedFacts, ShareFacts, WatchFacts } from '../../../client/doctor/look-at-share';

const watch: WatchFacts = {
  temporal: { id: 'one', namespace: 'default', address: '127.0.0.1:7233', host: 'office' },
  isOurs: true,
  silentMs: 4_000,
  beatMs: 10_000,
  takeOverMs: 900_000,
};
const opened: OpenedFacts = {
  traits: {
    value: { hasLinks: true, foldsCase: false, foldsAccents: false, clock: { lowMs: -2, highMs: 1 } },
  },
  freeBytes: { value: 1024 ** 4 },
  minFreeBytes: 64 * 1024 ** 2,
  watch: { value: watch },
  intake: {
    share: 'tender',
    stoppedBy: null,
    open: 1,
    maxOpen: 8,
    unfinished: [],
    stopped: [],
    heldElsewhere: [],
  },
};
const reachable = { kind: 'reachable' } as const;
const seen = { name: 'tender', folder: '/share', root: reachable, own: reachable } as const;

const notWell = (facts: ShareFacts) =>
  judgeShare(facts, 'drawbridge').flatMap(({ check, verdict, text }) =>
    verdict === 'ok' ? [] : [`${check}: ${verdict}: ${text}`],
  );

test('a share where all is well', () => {
  const findings = judgeShare({ ...seen, opened: { value: opened } }, 'drawbridge');
  expect(findings.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test.each<[string, Partial<ShareFacts>, readonly RegExp[]]>([
  ['is not mounted', { root: { kind: 'missing' } }, [/wrong: \/share is not there/, /the rest: not-asked/]],
  ['hangs', { root: { kind: 'hung' } }, [/wrong: .*hangs/, /the rest: not-asked/]],
  ['fails', { root: { kind: 'failing', code: 'EIO' } }, [/wrong: .*EIO/, /the rest: not-asked/]],
  ['was never used', { own: { kind: 'missing' } }, [/^share tender: look: .*never worked/]],
  ['is closed to us', { own: { kind: 'failing', code: 'EACCES' } }, [/wrong: .*\.drawbridge.*EACCES/]],
  ['is sealed, and we have no key', { keyId: 'abc' }, [/wrong: it is sealed with key abc/, /not-asked/]],
  [
    'has two faults',
    { faults: ['drop', 'done'].map(setting => ({ setting, text: 'Gone.', fix: 'Make it.' })) },
    [/wrong: drop: Gone\./, /wrong: done: Gone\./, /not-asked/],
  ],
  ['cannot be looked at', { opened: { why: 'no answer within 15 s' } }, [/wrong: .*no answer/]],
])('a share that %s', (_, facts, texts) => {
  expect(notWell({ ...seen, ...facts })).toEqual(texts.map(text => expect.stringMatching(text)));
});

test.each<[string, Partial<WatchFacts> | undefined, RegExp | undefined]>([
  ['ours, at work', {}, undefined],
  ['ours, silent', { silentMs: 31_000 }, /wrong: this Temporal watches it, last sign of life 31 s ago/],
  ['ours, never at work', { silentMs: undefined }, /wrong: .*no sign of life/],
  ['nobody', undefined, /look: nobody has watched it yet/],
  [
    'another, at work',
    { isOurs: false },
    /look: another Temporal watches this share: namespace "default" at .* on host office, last/,
  ],
  ['another, silent', { isOurs: false, silentMs: 600_000 }, /wrong: another .* stands still: .*10 min ago/],
  ['not to be told', { isOurs: undefined }, /not-asked: .* while our Temporal cannot be asked/],
])('who watches is %s', (_, facts, text) => {
  const value = facts && { ...watch, ...facts };
  const said = notWell({ ...seen, opened: { value: { ...opened, watch: { value } } } });
  expect(said).toEqual(text === undefined ? [] : [expect.stringMatching(text)]);
});

const traitsWith = (clock: { lowMs: number; highMs: number }) =>
  ({ value: { hasLinks: false, foldsCase: true, foldsAccents: true, clock } }) as const;
const intakeWith = (more: object) => ({ intake: { ...opened.intake, ...more } as OpenedFacts['intake'] });

test.each<[string, Partial<OpenedFacts>, readonly RegExp[]]>([
  ['has no hard links', { traits: traitsWith({ lowMs: 0, highMs: 0 }) }, []],
  [
    'has a clock ahead',
    { traits: traitsWith({ lowMs: 90_000, highMs: 99_000 }) },
    [/look: no hard links.*90 s ahead of ours/],
  ],
  ['has a clock that may be right', { traits: traitsWith({ lowMs: -9, highMs: 99_000 }) }, []],
  ['is nearly full', { freeBytes: { value: 512 * 1024 ** 2 } }, [/share tender: look: .*512 MiB left/]],
  ['is full', { freeBytes: { value: 1_000 } }, [/share tender: wrong: .*nothing is taken in below/]],
  ['has stopped batches', intakeWith({ stopped: ['b'] }), [/batches: look: batch b has no run any more/]],
  [
    'takes nothing in',
    intakeWith({ stoppedBy: 'full', open: 8 }),
    [/batches: look: takes nothing in: 8 of at most 8/],
  ],
  ['is watched elsewhere, which is said above', intakeWith({ stoppedBy: 'watched-elsewhere' }), []],
  ['has batches of nobody knows whom', { intake: undefined }, [/batches: not-asked/]],
])('a share that %s', (_, facts, texts) => {
  const said = notWell({ ...seen, opened: { value: { ...opened, ...facts } } });
  expect(said).toEqual(texts.map(text => expect.stringMatching(text)));
});
