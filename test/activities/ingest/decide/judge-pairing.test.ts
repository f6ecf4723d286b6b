// Whose upload is it: only what the service itself keeps of Step 4 tells.
import fc from 'fast-check';
import {
  judgePairing,
  mediaTypeOf,
  type PairingEvidence,
} from '../../../../activities/ingest/decide/judge-pairing';

const PDF = 'application/pdf';
const DWG = 'image/vnd.dwg';
const TYPES: Record<string, string> = { pdf: PDF, dwg: DWG, txt: 'text/plain' };
const file = (fileName: string) => ({
  fileName,
  mimeType: TYPES[fileName.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
});

function judge(
  names: readonly string[],
  at: number,
  evidence: Partial<PairingEvidence>,
  more: { readonly wish?: string; readonly isComputed?: boolean } = {},
) {
  return judgePairing({
    evidence: { texts: [], names: [], nameSource: 'SYSTEM', ...evidence },
    files: names.map(file),
    at,
    wish: more.wish ?? 'nobody wishes for this',
    isComputed: more.isComputed ?? false,
  });
}

const own = { kind: 'own' };
const unshown = { kind: 'not-shown' };
const other = (...others: number[]) => ({ kind: 'other', others });

describe('the name that the service gave', () => {
  const batch = ['plan.pdf', 'plan.dwg', 'notes', 'notes.txt', 'v1.2.pdf', 'v1.3.pdf', 'E\u0301tage.pdf'];

  test.each([
    ['of its file', 0, 'plan.pdf', own],
    ['of its file without the extension', 0, 'plan', own],
    ['of a file that differs only in the extension', 0, 'plan.dwg', other(1)],
    ['of a file without extension, which is its own stem', 3, 'notes', other(2)],
    ['of another file', 5, 'v1.2.pdf', other(4)],
    ['of another file without the extension', 4, 'v1.3', other(5)],
    ['in another Unicode form', 6, '\u00c9tage.pdf', own],
    ['that no file has', 0, 'X-0001', unshown],
    ['that is blank', 0, ' ', unshown],
  ])('%s', (_, at, name, expected) => {
    expect(judge(batch, at, { names: [name] })).toEqual(expected);
  });

  test('proves nothing where we or people wrote it', () => {
    const files = ['a.pdf', 'b.pdf'];
    expect(judge(files, 0, { names: ['b'], nameSource: 'MANUAL' }, { wish: 'b' })).toEqual(own);
    expect(judge(files, 0, { names: ['b'], nameSource: 'MANUAL' })).toEqual(unshown);
    expect(judge(files, 0, { names: ['b'], nameSource: null }, { wish: 'b' })).toEqual(own);
    // We wish for what another file is called: the service's own name tells that its ids changed places.
    expect(judge(files, 0, { names: ['b'] }, { wish: 'b' })).toEqual(other(1));
  });

  test('computed by a naming standard is found in the name of its file', () => {
    const files = ['P-DWG-001-A.pdf', 'P-DWG-002-A.pdf', 'other.pdf'];
    const computed = (name: string, at: number) => judge(files, at, { names: [name] }, { isComputed: true });
    expect(computed('P-DWG-001', 0)).toEqual(own);
    expect(computed('P-DWG-002', 0)).toEqual(other(1));
    expect(computed('Q-9', 0)).toEqual(unshown);
  });

  test('computed is found in whole words and numbers, and where two fit, nobody can tell', () => {
    const files = ['P-DWG-1-A.pdf', 'P-DWG-10-A.pdf', 'P-DWG-10-B.pdf', 'P-DWG-7.pdf', 'P-DWG-7-A.pdf'];
    const computed = (name: string, at: number, mediaType = PDF) =>
      judge(files, at, { names: [name], mediaType }, { isComputed: true });
    expect(computed('P-DWG-1', 1)).toEqual(other(0));
    expect(computed('p-dwg-1', 0)).toEqual(own);
    // Two revisions of one document bear one name.
    expect(computed('P-DWG-10', 1)).toEqual(unshown);
    expect(computed('P-DWG-7', 4)).toEqual(unshown);
    expect(computed('P-DWG-7', 1)).toEqual(other(3));
    expect(computed('P-DWG-7', 3)).toEqual(own);
    const typed = (at: number, mediaType: string) =>
      judge(['P-1-A.pdf', 'P-1-A.dwg', 'x.pdf'], at, { names: ['P-1'], mediaType }, { isComputed: true });
    expect([typed(0, PDF), typed(1, DWG)]).toEqual([own, own]);
    expect([typed(0, DWG), typed(2, PDF)]).toEqual([other(1), other(0)]);
  });
});

describe('other evidence', () => {
  test('a text that is a file name of the batch goes before the name, which may be computed or written', () => {
    const evidence = { texts: ['2026-01-31T00:00:00Z', 'b.pdf'], names: ['a.pdf'], nameSource: 'MANUAL' };
    expect(judge(['a.pdf', 'b.pdf'], 0, evidence, { wish: 'a.pdf' })).toEqual(other(1));
    expect(judge(['a.pdf', 'b.pdf'], 1, evidence, { wish: 'a.pdf' })).toEqual(own);
  });

  test('a media type that only another file has', () => {
    expect(judge(['a.pdf', 'b.dwg', 'c.pdf'], 0, { mediaType: DWG })).toEqual(other(1));
    expect(judge(['a.pdf', 'b.dwg', 'c.pdf'], 1, { mediaType: PDF })).toEqual(other(0, 2));
    expect(judge(['a.pdf', 'b.dwg'], 0, { mediaType: 'application/acad' })).toEqual(unshown);
    expect(judge(['a.pdf', 'b.dwg'], 0, { mediaType: 'Application/PDF' })).toEqual(unshown);
  });

  test('a stem that two files share is told apart by the media type, and by nothing else', () => {
    expect(judge(['plan.pdf', 'plan.dwg'], 0, { names: ['plan'], mediaType: DWG })).toEqual(other(1));
    expect(judge(['plan.pdf', 'x.dwg'], 0, { names: ['plan'], mediaType: DWG })).toEqual(own);
    expect(judge(['q.pdf', 'plan.pdf', 'plan.dwg'], 0, { names: ['plan'], mediaType: DWG })).toEqual(
      other(2),
    );
  });

  test('one file alone cannot change places', () => {
    expect(judge(['a.pdf'], 0, { names: ['b.pdf'] })).toEqual(own);
  });

  test.each([
    ['TEST4-SP-I-17|application/pdf', PDF],
    ['a|b|image/vnd.dwg', DWG],
    ['only a name', null],
    [null, null],
  ])('the media type of %j', (criteria, expected) => {
    expect(mediaTypeOf(criteria)).toBe(expected);
  });
});

test('however ids changed places, each upload is found to be its own file’s or another’s, never wrongly', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-c]{1,3}(\.pdf|\.dwg|\.txt)$/), {
    minLength: 2,
    maxLength: 8,
  });
  fc.assert(
    fc.property(names, fc.nat(), fc.nat(), fc.boolean(), (files, one, two, isStem) => {
      const [at, source] = [one % files.length, two % files.length];
      const shown = files[source] ?? '';
      const name = isStem ? shown.slice(0, shown.lastIndexOf('.')) : shown;
      const verdict = judge(files, at, { names: [name], mediaType: file(shown).mimeType });
      expect(verdict).toEqual(at === source ? own : other(source));
    }),
  );
});

test('however ids changed places under a naming standard, no upload is taken for a file that it was not made for', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^(A|B)-\d{1,2}(-[PC])?$/), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(names, fc.nat(), fc.nat(), fc.boolean(), (stems, one, two, isComputed) => {
      const files = stems.map(stem => `${stem}.pdf`);
      const [at, source] = [one % files.length, two % files.length];
      // A standard that leaves the last part out of the name.
      const name = (stems[source] ?? '').replace(/-[PC]$/, '');
      const verdict = judge(files, at, { names: [name], mediaType: PDF }, { isComputed });
      const exact = stems.indexOf(name);
      // Called just so: nothing tells it from one of whose name that is a part.
      if (at === exact) expect(verdict).toEqual(own);
      else if (at === source && isComputed) expect([own, unshown]).toContainEqual(verdict);
      else if (verdict.kind === 'other') expect(verdict.others).toContain(exact < 0 ? source : exact);
      else expect(verdict).toEqual(unshown);
    }),
  );
});
