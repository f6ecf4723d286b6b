import fc from 'fast-check';
import type { FileProgress, PresignedSegment, SessionLook } from '../../../activities/transfer/ports';
import { chooseNextStep, matchFreshSegments, readLook } from '../../../activities/transfer/session-step';

const HOUR_MS = 60 * 60 * 1000;
const AT = { segmentCount: 2, nowMs: 100 * HOUR_MS, sessionMaxAgeMs: 23 * HOUR_MS };

function progress(changes: Partial<FileProgress> = {}): FileProgress {
  return {
    sessionId: 's1',
    openedAtMs: AT.nowMs - HOUR_MS,
    partEtags: ['a', null],
    finished: false,
    available: false,
    ...changes,
  };
}

describe('chooseNextStep', () => {
  test.each<[string, FileProgress | undefined, string]>([
    ['nothing known', undefined, 'open'],
    ['something missing', progress(), 'send'],
    ['all sent', progress({ partEtags: ['a', 'b'] }), 'report'],
    ['reported', progress({ partEtags: ['a', 'b'], finished: true }), 'await'],
    ['available', progress({ partEtags: ['a', 'b'], finished: true, available: true }), 'done'],
    ['too old', progress({ openedAtMs: AT.nowMs - 23 * HOUR_MS }), 'open'],
    [
      'available but too old to be linked',
      progress({ openedAtMs: AT.nowMs - 23 * HOUR_MS, finished: true, available: true }),
      'open',
    ],
    ['of another plan', progress({ partEtags: ['a', 'b', null] }), 'open'],
    ['from a clock ahead of ours', progress({ openedAtMs: AT.nowMs + HOUR_MS }), 'send'],
  ])('%s', (_, known, step) => {
    expect(chooseNextStep(known, AT)).toBe(step);
  });
});

describe('readLook', () => {
  const fresh = [{ url: 'u', headers: {} }];
  test.each<[SessionLook, string]>([
    [{ kind: 'gone' }, 'unusable'],
    [{ kind: 'found', status: 'available', freshSegments: [] }, 'available'],
    [{ kind: 'found', status: 'complete', freshSegments: [] }, 'finished'],
    [{ kind: 'found', status: 'other', freshSegments: [] }, 'finished'],
    [{ kind: 'found', status: 'other', freshSegments: fresh }, 'wants-segments'],
    [{ kind: 'found', status: 'ready', freshSegments: fresh }, 'wants-segments'],
    [{ kind: 'found', status: 'receiving', freshSegments: [] }, 'wants-segments'],
  ])('%j means %s', (look, state) => {
    expect(readLook(look)).toBe(state);
  });
});

describe('matchFreshSegments', () => {
  const etags = fc.array(fc.option(fc.constant('etag')), { minLength: 1, maxLength: 20 });
  const address = (index: number): PresignedSegment => ({ url: `u${index}`, headers: {} });

  test('addresses for all are taken by their place', () => {
    fc.assert(
      fc.property(etags, partEtags => {
        const all = partEtags.map((_, index) => address(index));
        expect(matchFreshSegments(partEtags, all)).toEqual(all);
      }),
    );
  });

  test('addresses for the missing ones go to the missing ones', () => {
    fc.assert(
      fc.property(etags, partEtags => {
        const expected = partEtags.map((etag, index) => (etag === null ? address(index) : undefined));
        const fresh = expected.filter(each => each !== undefined);
        fc.pre(fresh.length > 0);
        const matched = matchFreshSegments(partEtags, fresh);
        for (const [index, etag] of partEtags.entries()) {
          if (etag === null) expect(matched?.[index]).toEqual(address(index));
        }
      }),
    );
  });

  test('any other number of addresses cannot be told apart', () => {
    expect(matchFreshSegments(['a', null, null], [address(0)])).toBeUndefined();
    expect(matchFreshSegments(['a', null], [])).toBeUndefined();
    expect(matchFreshSegments(['a', 'b', 'c'], [address(0)])).toBeUndefined();
  });
});
